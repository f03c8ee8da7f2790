// Random choices, the same for the same seed.
import { seededRandom } from '../../src/core/sources/virtual.ts';

export class Dice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  int(n: number): number {
    return Math.floor(this.#random() * n);
  }

  maybe(p: number): boolean {
    return this.#random() < p;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T;
  }
}
