// Decides of which sessions a reader of the inspector may read the records, as of now: it may be invited, or removed, while it reads.
//
// The rule of a session that is awake is asked for each record. One that is asleep is looked up in the store; the verdict counts for a second, or until
// it is awake. If a look-up fails, the verdict before counts for one more second (the store closes before the last records of a shutdown are sent), then
// nothing may be read until the store replies.
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { Caller, SessionDirectory } from '../../core/session/api.ts';
import { addMs } from '../../core/sources/monotonic-time.ts';
import type { Clock, MonotonicTime } from '../../core/sources/sources.ts';
import type { ReaderAccess } from '../../wire/inspection-source.ts';

/** Sessions whose verdict is kept, for each reader. */
const maxVerdicts = 2_000;

/** How long the verdict of a look-up counts, in milliseconds. */
const verdictLifeMs = 1_000;

/** `until`: when the verdict is looked up again. `afterFailure`: what counts if that fails. */
type Verdict =
  | { readonly state: 'looking up' }
  | { readonly state: 'awake'; readonly afterFailure: boolean }
  | {
      readonly state: 'looked up';
      readonly may: boolean;
      readonly until: MonotonicTime;
      readonly afterFailure: boolean;
    };

export interface RecordAccessOptions {
  readonly directory: Pick<SessionDirectory, 'check' | 'awakeHere'>;
  readonly caller: Caller;
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Called when the verdict on a session that was not known has come. */
  onKnown(): void;
  report(error: unknown): void;
}

export class RecordAccess implements ReaderAccess {
  // Without tokens everybody who has the key may; with tokens, those whose token names `*`.
  readonly mayReadUnscoped: boolean;
  readonly #options: RecordAccessOptions;
  readonly #verdicts = new BoundedMap<string, Verdict>(maxVerdicts);
  #lookups = 0;

  constructor(options: RecordAccessOptions) {
    const { proof } = options.caller;
    this.#options = options;
    this.mayReadUnscoped = !proof || (proof.sessions?.includes('*') ?? false);
  }

  /** Whether a verdict is being looked up. */
  get isLookingUp(): boolean {
    return this.#lookups > 0;
  }

  mayRead(session: string): boolean | null {
    const { directory, caller, clock } = this.#options;
    const may = directory.awakeHere.mayRead(caller, session);
    if (may !== null) {
      this.#verdicts.set(session, { state: 'awake', afterFailure: may });
      return may;
    }
    const known = this.#verdicts.get(session);
    if (known?.state === 'looked up' && clock.elapsed() < known.until) return known.may;
    if (known?.state !== 'looking up') void this.#lookUp(session, known?.afterFailure ?? false);
    return null;
  }

  async #lookUp(session: string, afterFailure: boolean): Promise<void> {
    const { directory, caller, clock, onKnown, report } = this.#options;
    this.#verdicts.set(session, { state: 'looking up' });
    this.#lookups += 1;
    const verdict = await directory.check('read', caller, session).then(
      () => ({ may: true, afterFailure: true }),
      (error: unknown) => {
        if (fieldsOf(error)['code'] === 'access_denied') return { may: false, afterFailure: false };
        report(error);
        return { may: afterFailure, afterFailure: false };
      },
    );
    this.#lookups -= 1;
    if (this.#verdicts.get(session)?.state === 'looking up') {
      this.#verdicts.set(session, { state: 'looked up', ...verdict, until: addMs(clock.elapsed(), verdictLifeMs) });
    }
    onKnown();
  }
}
