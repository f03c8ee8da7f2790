// The turns of a speaker that run in a session, for a client that comes back to one, or has not answered it.
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import type { ActiveTurn } from '../../core/session/directory-api.ts';
import type { DisconnectRule, FollowedTurn, TurnOver } from '../../gateway/http/follow-turn.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import type { HttpCall } from '../../gateway/http/route.ts';

const factsOfPage = 1_000;
/** Turns of a door that are remembered: those that run, and a few that have ended by another way. */
const maxRemembered = 1_000;

/** The turns that the requests of a door have opened, with their speakers: only these are stopped when their requests are lost. */
export class OpenedTurns {
  readonly #rule: DisconnectRule;
  readonly #speakers = new Map<NodeId, SpeakerId>();

  constructor(rule: DisconnectRule) {
    this.#rule = rule;
  }

  add(turn: NodeId, { caller }: Pick<HttpCall, 'caller'>): void {
    this.#speakers.set(turn, caller.speaker.id);
    const [oldest] = this.#speakers.keys();
    if (this.#speakers.size > maxRemembered && oldest !== undefined) this.#speakers.delete(oldest);
  }

  /**
   * Follows a turn by the rule of the door, or, if it is of another door or speaker, without touching it. `openedAt`: the sequence number of its opening; undefined: it is
   * looked up.
   */
  async follow(
    {
      session,
      turn,
      openedAt,
    }: { readonly session: string; readonly turn: NodeId; readonly openedAt: number | undefined },
    call: HttpCall,
    follow: (followed: FollowedTurn) => Promise<TurnOver['how']>,
  ): Promise<void> {
    const from = openedAt ?? (await openingOf(session, turn, call));
    const isOwn = this.#speakers.get(turn) === call.caller.speaker.id;
    const { onDisconnect, graceMs } = isOwn ? this.#rule : leftAlone;
    const how = await follow({ session, turn, openedAt: from, after: 0, by: call.caller, onDisconnect, graceMs });
    if (how === 'ended' || how === 'lost') this.#speakers.delete(turn);
  }
}

const leftAlone: DisconnectRule = { onDisconnect: 'continue', graceMs: 0 };

/** Resolves with the turns of the session that have not settled. */
export async function activeTurnsOf(
  session: string,
  { services, caller }: Pick<HttpCall, 'services' | 'caller'>,
): Promise<readonly ActiveTurn[]> {
  const directory = await services.runtime.directory();
  const { turns } = await directory.activeTurns(caller);
  return turns.filter((turn) => turn.session === session);
}

/** Returns the turn of the speaker that runs, or waits in its lane; undefined: there is none. */
export function turnOfSpeaker(
  turns: readonly ActiveTurn[],
  { caller }: Pick<HttpCall, 'caller'>,
): ActiveTurn | undefined {
  const own = turns.filter(({ parent, owner }) => parent === null && owner === caller.speaker.id);
  return own.find(({ phase }) => phase !== 'queued') ?? own[0];
}

/** Whether nothing of a turn can go on before somebody answers. */
export function waitsForAnswers(turn: NodeId, turns: readonly ActiveTurn[]): boolean {
  const found = turns.find((one) => one.turn === turn);
  if (!found || found.calls.length === 0) return false;
  return found.calls.every(({ node, state }) => {
    if (state === 'asking') return true;
    const inner = turns.find(({ parent }) => parent === node);
    return inner !== undefined && waitsForAnswers(inner.turn, turns);
  });
}

/** Resolves with the sequence number of the opening of a turn. Rejects with an `HttpProblem` if the session has no such turn. */
async function openingOf(
  session: string,
  turn: NodeId,
  { services, caller }: Pick<HttpCall, 'services' | 'caller'>,
): Promise<number> {
  const directory = await services.runtime.directory();
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const facts = await directory.readFacts(caller, session, { after: 0, before, limit: factsOfPage });
    const found = facts.find(({ fact }) => fact.type === 'turn_opened' && fact.turn === turn);
    if (found) return found.seq;
    const first = facts[0]?.seq ?? 1;
    if (facts.length === 0 || first === 1 || first === before)
      throw new HttpProblem('unknown_target', { field: 'messages' });
    before = first;
  }
}
