// The model that a person has chosen in a chat, for what is said from then on.
import type { TurnOptions } from '../wire/client-frames.ts';

export class ModelChoice {
  /** Undefined: that of the gateway. */
  name: string | undefined;

  /** The options of a SAY. */
  get options(): { readonly model?: TurnOptions } {
    return this.name === undefined ? {} : { model: { model: this.name } };
  }
}
