// The model that a person has chosen in a chat, for what is said from then on.
import type { TurnOptions } from '../wire/client-frames.ts';

export class ModelChoice {
  /** The name of the chosen model; undefined: that of the gateway. */
  name: string | undefined;

  /** The options of a SAY. */
  get options(): { readonly model?: TurnOptions } {
    return this.name === undefined ? {} : { model: { model: this.name } };
  }
}
