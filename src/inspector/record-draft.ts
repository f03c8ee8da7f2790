// The fields of a record that its maker knows; the inspector adds the rest.
import type { ActorRecord, EventRecord, NodeRecord, StateRecord } from '../wire/inspection.ts';

/** The fields that the inspector adds. */
type Added = 'n' | 'at' | 'session' | 'root';

/** The state of an actor, as `ActorRecord` and `StateRecord` have it. */
export type State = Pick<StateRecord, 'status' | 'value' | 'context'>;

export type ActorDraft = Omit<ActorRecord, Added>;
export type StateDraft = Omit<StateRecord, Added>;
/** A record without the fields that the inspector adds. */
export type RecordDraft = ActorDraft | StateDraft | Omit<EventRecord, Added> | Omit<NodeRecord, Added>;
