// Collects what is seen of a client under test: each requirement is open until it was kept or broken.
import { type ClientRequirementId, clientRequirements, unseenRequirements } from './client-requirements.ts';
import type { CheckVerdict, Requirement } from './verdict.ts';

const notSeen = (reached: string): CheckVerdict => ({ kind: 'not applicable', because: `Not seen: ${reached}.` });
const notOnTheWire: CheckVerdict = {
  kind: 'not applicable',
  because: 'It cannot be seen on the wire: test it in the client.',
};

export class ClientObservations {
  readonly #verdicts = new Map<ClientRequirementId, CheckVerdict>();

  /** The requirement was kept once. A violation, before or after it, counts more. */
  keep(id: ClientRequirementId): void {
    if (!this.#verdicts.has(id)) this.#verdicts.set(id, { kind: 'ok' });
  }

  /** The requirement was broken. The first violation is reported. */
  break(id: ClientRequirementId, because: string): void {
    if (this.#verdicts.get(id)?.kind !== 'failed') this.#verdicts.set(id, { kind: 'failed', because });
  }

  /** Keeps or breaks a requirement. */
  judge(id: ClientRequirementId, isKept: boolean, because: string): void {
    if (isKept) this.keep(id);
    else this.break(id, because);
  }

  isOpen(id: ClientRequirementId): boolean {
    return !this.#verdicts.has(id);
  }

  /** The verdicts, in the order of the page. `reached`: what the client has done so far, for what stayed open. */
  report(reached: string): readonly (readonly [Requirement, CheckVerdict])[] {
    const seen = clientRequirements.map(
      (requirement) => [requirement, this.#verdicts.get(requirement.id) ?? notSeen(reached)] as const,
    );
    return [...seen, ...unseenRequirements.map((requirement) => [requirement, notOnTheWire] as const)];
  }
}
