// Deferred inputs: words that wait in the live tree for the next model call of the turn above them, and the facts of their fates.
//
// Each has one fate. A model call consumes it (workers/preparing.ts), a CANCEL stops it, or its turn ends without it: then it opens a turn.
import type { InputDeferred, InputSettled, TurnOpened } from '../../../machines/facts.ts';
import type { DeferredInput } from '../../../machines/lanes.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { LiveTree } from '../live/tree.ts';
import type { Clock } from '../sources/sources.ts';
import { withCommand } from '../transcript/decided-commands.ts';
import type { Appender } from '../transcript/journal.ts';
import type { Replies } from './inbox.ts';

export interface DeferredInputsParts {
  readonly tree: LiveTree;
  readonly journal: Appender;
  readonly replies: Replies;
  readonly clock: Clock;
}

export class DeferredInputs {
  readonly #parts: DeferredInputsParts;

  constructor(parts: DeferredInputsParts) {
    this.#parts = parts;
  }

  /** Puts an input into the live tree, below its turn. Replies after the commit of its fact. */
  add({ id: input, steers: turn, said }: DeferredInput): void {
    const { tree, journal, replies, clock } = this.#parts;
    const { ref, command, via, spoken } = said;
    const { owner, text, parts, options } = said.turn;
    const more = dropUndefined({ parts, options, via, spoken });
    const fact: InputDeferred = { type: 'input_deferred', input, turn, owner, text, ref, ...more };
    const committed = journal.append([withCommand(fact, command)]);
    const since = clock.now();
    const addedAt = clock.elapsed();
    const enteredAt = journal.lastSeq;
    tree.add({ id: input, kind: 'input', owner, parent: turn, name: null, since, addedAt, enteredAt }, null);
    void committed.then(() => replies.says.reply(input, { type: 'input_deferred', input, turn }));
  }

  /** Writes the fate of an input that a CANCEL has stopped. */
  cancel(input: NodeId): void {
    const { tree, journal } = this.#parts;
    const { owner, parent: turn } = tree.get(input) ?? {};
    if (!owner || !turn) return;
    void journal.append([{ type: 'input_settled', input, turn, owner, fate: 'cancelled' }]);
    tree.remove(input);
  }

  /** Writes that an input opens a turn of its own. The turn counts from when the words were said: a CANCEL that is sent again reaches it. */
  open({ id, steers, said }: DeferredInput): void {
    const { tree, journal, clock } = this.#parts;
    const { lane, ref, command, via, spoken } = said;
    const { owner, text, parts, options } = said.turn;
    const enteredAt = tree.get(id)?.enteredAt ?? journal.lastSeq;
    const more = dropUndefined({ parts, options, via, spoken });
    const opened: TurnOpened = { type: 'turn_opened', turn: id, kind: 'say', owner, lane, text, ref, ...more };
    const settled: InputSettled = { type: 'input_settled', input: id, turn: steers, owner, fate: 'queued' };
    void journal.append([settled, withCommand(opened, command)]);
    tree.remove(id);
    const since = clock.now();
    const addedAt = clock.elapsed();
    tree.add({ id, kind: 'turn', owner, parent: null, name: null, since, addedAt, enteredAt }, null);
  }
}
