// A bus that asks and answers over one connection, and publishes over another: a burst of texts delays no question.
//
// 1. The two have subjects of their own: what is published does not pass the connection of the questions.
// 2. An answer may arrive before a text that was published before it.
import type { Bus, BusAnswer, BusCounts, BusState } from '../../core/contracts/bus.ts';

const controlSubject = (subject: string): string => `control.${subject}`;

export class ControlBus implements Bus {
  readonly #control: Bus;
  readonly #texts: Bus;

  /** `control`: asks and answers. `texts`: publishes. Both are closed with it. */
  constructor(control: Bus, texts: Bus) {
    this.#control = control;
    this.#texts = texts;
  }

  /** That of the questions. Texts that are lost while the other connection is away are found in the log. */
  get state(): BusState {
    return this.#control.state;
  }

  get counts(): BusCounts {
    return sumOf([this.#control, this.#texts].flatMap(({ counts }) => counts ?? []));
  }

  ask(subject: string, text: string, ms: number): Promise<BusAnswer> {
    return this.#control.ask(controlSubject(subject), text, ms);
  }

  answer(subject: string, respond: (text: string) => Promise<string>): () => void {
    return this.#control.answer(controlSubject(subject), respond);
  }

  publish(subject: string, text: string): void {
    this.#texts.publish(subject, text);
  }

  subscribe(subject: string, listener: (text: string) => void): () => void {
    return this.#texts.subscribe(subject, listener);
  }

  onState(listener: (state: BusState) => void): () => void {
    return this.#control.onState(listener);
  }

  async close(): Promise<void> {
    await Promise.all([this.#control.close(), this.#texts.close()]);
  }
}

function sumOf(all: readonly BusCounts[]): BusCounts {
  const sum = (read: (counts: BusCounts) => number) => all.reduce((total, counts) => total + read(counts), 0);
  return {
    sent: sum(({ sent }) => sent),
    received: sum(({ received }) => received),
    dropped: sum(({ dropped }) => dropped),
    asked: {
      answer: sum(({ asked }) => asked.answer),
      none: sum(({ asked }) => asked.none),
      silent: sum(({ asked }) => asked.silent),
    },
  };
}
