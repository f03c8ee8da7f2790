// Chooses the reply to a request: by the rules of a test if there are any, else by the tour.
import { type Answer, matchesRequest, type Reply, type Rule, type WireRequest } from './reply.ts';

export class ReplyRules {
  readonly #tour: (request: WireRequest) => Answer;
  #rules: readonly Rule[] | null = null;
  /** How often each rule has replied. */
  #used: number[] = [];

  /** `tour` replies while there are no rules. */
  constructor(tour: (request: WireRequest) => Answer) {
    this.#tour = tour;
  }

  replace(rules: readonly Rule[]): void {
    this.#rules = rules;
    this.#used = [];
  }

  /** The first rule that fits replies. `rule`: its index; null: none. */
  choose(request: WireRequest): { readonly reply: Reply; readonly rule: number | null } {
    if (!this.#rules) return { reply: this.#tour(request), rule: null };
    const index = this.#rules.findIndex(
      ({ when = {}, times = Number.POSITIVE_INFINITY }, i) =>
        (this.#used[i] ?? 0) < times && matchesRequest(when, request),
    );
    const rule = this.#rules[index];
    if (!rule)
      return {
        reply: { status: 400, code: 'no_rule', message: 'No rule of the script fits this request.' },
        rule: null,
      };
    this.#used[index] = (this.#used[index] ?? 0) + 1;
    return { reply: rule.reply, rule: index };
  }
}
