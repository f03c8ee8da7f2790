// Shows the text of a model call as soon as the fact of its start has committed.
import type { SequencedFact } from '../../../machines/facts.ts';
import type { TextStream } from '../live/text-stream.ts';
import type { Projection } from '../transcript/journal.ts';

export class TextDisplay implements Projection {
  readonly #text: TextStream;

  constructor(text: TextStream) {
    this.#text = text;
  }

  onCommitted({ fact }: SequencedFact): void {
    if (fact.type === 'model_started') this.#text.show(fact.turn, fact.index);
  }
}
