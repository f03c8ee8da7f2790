// Holds what a client has chosen in a session: its mode, and the model of the prompts from then on. A session that is loaded again begins with the first ones.
import { RequestError, type SessionConfigOption, type SessionModeState } from '@agentclientprotocol/sdk';

/** `ask`: approvals are asked of the client. `trust`: the door says yes to each. */
export const modes = ['ask', 'trust'] as const;
export type Mode = (typeof modes)[number];

const modeTexts: Readonly<Record<Mode, { readonly name: string; readonly description: string }>> = {
  ask: { name: 'Ask', description: 'Calls that need a yes ask for it.' },
  trust: { name: 'Trust', description: 'Calls that need a yes get it, without a question.' },
};

const availableModes = modes.map((id) => ({ id, ...modeTexts[id] }));

export class SessionChoices {
  /** The models that a prompt may ask for; the first one is that of the configuration. */
  #models: readonly string[] = [];
  #mode: Mode = 'ask';
  /** The model that was chosen; null: the first one. */
  #model: string | null = null;

  offerModels(models: readonly string[]): void {
    this.#models = models;
  }

  get mode(): Mode {
    return this.#mode;
  }

  /** The model that a prompt asks for; null: none. */
  get model(): string | null {
    return this.#model;
  }

  get modeState(): SessionModeState {
    return { currentModeId: this.#mode, availableModes };
  }

  get configOptions(): SessionConfigOption[] {
    const [first] = this.#models;
    const mode: SessionConfigOption = {
      type: 'select',
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      currentValue: this.#mode,
      options: availableModes.map(({ id: value, ...texts }) => ({ value, ...texts })),
    };
    if (first === undefined) return [mode];
    const options = this.#models.map((name) => ({ value: name, name }));
    const currentValue = this.#model ?? first;
    return [mode, { type: 'select', id: 'model', name: 'Model', category: 'model', currentValue, options }];
  }

  /** Throws the error of a request for a mode that there is not. */
  setMode(id: string): void {
    const mode = modes.find((one) => one === id);
    if (!mode) throw unknownChoice('modeId', id, modes);
    this.#mode = mode;
  }

  /** Sets an option by its id. Throws the error of a request for one that there is not. */
  setOption(id: string, value: string | boolean): void {
    if (id === 'mode') return this.setMode(String(value));
    if (id !== 'model' || this.#models.length === 0)
      throw unknownChoice(
        'configId',
        id,
        this.configOptions.map((option) => option.id),
      );
    const model = this.#models.find((name) => name === value);
    if (model === undefined) throw unknownChoice('value', String(value), this.#models);
    this.#model = model;
  }
}

const unknownChoice = (field: string, value: string, known: readonly string[]): RequestError =>
  RequestError.invalidParams({ field }, `${field}: there is no ${value}. There are ${known.join(', ')}`);
