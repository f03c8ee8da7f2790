// The commands that a client under test has sent, by ref: the same ref is for the same command only.
import type { SessionFrame } from '../../src/wire/client-frames.ts';
import type { ClientObservations } from './client-observations.ts';

/** Returns what must be the same in a repeat, as a text. The target of a CANCEL of a SAY may become its turn. */
function contentOf(frame: SessionFrame): string {
  const { type, target = '', text, question, as } = { target: '', text: '', question: '', as: '', ...frame };
  return JSON.stringify([type, target.startsWith('say:') ? 'turn_1' : target, text, question, as]);
}

export class CommandRecord {
  readonly #observations: ClientObservations;
  readonly #contents = new Map<string, string>();
  readonly #says = new Set<string>();

  constructor(observations: ClientObservations) {
    this.#observations = observations;
  }

  check(frame: SessionFrame): void {
    const { ref } = frame;
    if (ref === undefined) return;
    const content = contentOf(frame);
    const before = this.#contents.get(ref) ?? content;
    this.#contents.set(ref, before);
    this.#observations.judge('client.refs', before === content, `${ref} was ${before}, then ${content}.`);
    if (frame.type === 'SAY') this.#says.add(ref);
    if (frame.type !== 'CANCEL' || !frame.target?.startsWith('say:')) return;
    const isAfter = this.#says.has(frame.target.slice('say:'.length));
    this.#observations.judge('client.order', isAfter, `A CANCEL of ${frame.target} came before its SAY.`);
  }
}
