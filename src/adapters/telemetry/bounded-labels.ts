// Bounds the values of a label: models and servers may invent names without an end, and each value of a label is a series that stays.

/** The value for every name beyond the bound, and for what has no name. */
export const otherLabel = 'other';

/** Gives the first `limit` names a value of their own. */
export class BoundedLabels {
  readonly #known = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the name itself, or `other`. */
  labelOf(name: string | null | undefined): string {
    if (!name) return otherLabel;
    if (!this.#known.has(name)) {
      if (this.#known.size >= this.#limit) return otherLabel;
      this.#known.add(name);
    }
    return name;
  }
}
