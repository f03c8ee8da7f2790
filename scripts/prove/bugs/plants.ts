// Bugs to plant: a change of one place of the shipped code, as an engineer might make it by mistake, and one of a table of the proof itself. The proof must see each of them.

import type { SweepKind } from '../sweep-kinds.ts';
import { crashPlants } from './crash-plants.ts';

export interface PlantedBug {
  readonly name: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
  /** A scenario that sees it. */
  readonly scenario: string;
  /** Seen only by `--full`, which sweeps every microtask. */
  readonly isFull?: true;
  /** The seed that sees it. Left out: 1. */
  readonly seed?: number;
  /** The only sweep that sees it. Left out: that of CANCELs sees it. */
  readonly sweep?: SweepKind;
}

export const plants: readonly PlantedBug[] = [
  {
    name: 'a worker starts though its node is cut',
    file: 'src/core/workers/worker.ts',
    from: 'entry.cut || demolished.aborted',
    to: 'demolished.aborted',
    scenario: 'parallel tools',
    isFull: true,
    seed: 2,
  },
  {
    name: 'a receipt settles with its first node',
    file: 'src/core/session/receipts.ts',
    from: '![...receipt.nodes].every(',
    to: '![...receipt.nodes].some(',
    scenario: 'parallel tools',
  },
  {
    name: 'a CANCEL of a lane reaches the turns before it',
    file: 'src/core/session/lane-reach.ts',
    from: 'enteredAt > since',
    to: 'enteredAt !== since',
    scenario: 'queue',
  },
  {
    name: 'everybody owns everything',
    file: 'machines/standing.ts',
    from: 'owner === id || requester === id',
    to: "owner !== '' || requester === id",
    scenario: 'overlapping turns',
  },
  {
    name: 'a moderator may stop nothing',
    file: 'machines/standing.ts',
    from: "speaker.roles.includes('moderator')) return",
    to: "speaker.roles.includes('bridge')) return",
    scenario: 'overlapping turns',
  },
  {
    name: 'a stop has no budget',
    file: 'src/core/live/budgets.ts',
    from: 'sendOverdue(unsettled);\n  }',
    to: '}',
    scenario: 'a call that ignores its signal',
  },
  {
    name: 'a stopped call has had no effect',
    file: 'src/core/workers/running.ts',
    from: "(tool.effect === 'none' ? 'none' : 'unknown')",
    to: "'none'",
    scenario: 'effect before the end',
  },
  {
    name: 'the calls of a stopped round start',
    file: 'machines/turn-facts.ts',
    from: 'stopOutcome === null && !withheld[node]',
    to: '!withheld[node]',
    scenario: 'calls that stream',
  },
  {
    name: 'an exclusive key is kept',
    file: 'src/core/tools/keys.ts',
    from: 'else this.release(id)',
    to: 'else this.size',
    scenario: 'exclusive keys',
  },
  {
    name: 'a shield does not hold',
    file: 'src/core/live/tree.ts',
    from: 'if (!entry || this.shieldedUntil(entry) !== null) return;\n    const { mark }',
    to: 'if (!entry) return;\n    const { mark }',
    scenario: 'shield of a call',
  },
  {
    name: 'a replay leaves out its first fact',
    file: 'src/core/session/catch-up.ts',
    from: 'let seq = after;',
    to: 'let seq = after + 1;',
    scenario: 'reconnect in mid-stream',
  },
  {
    name: 'what a stopped model call has used is nothing',
    file: 'src/adapters/models/scripted.ts',
    from: "return { kind: 'stopped', calls, usage: usage() }",
    to: "return { kind: 'stopped', calls, usage: noUsage }",
    scenario: 'plain response',
  },
  {
    name: 'facts are published before their commit',
    file: 'src/core/transcript/journal.ts',
    from: 'projection.onAppended?.(event);',
    to: 'projection.onAppended?.(event); if (event.fact.type === "turn_ended") projection.onCommitted?.(event as never);',
    scenario: 'plain response',
  },
  {
    name: 'a call that was stopped before it was opened starts',
    file: 'machines/turn-facts.ts',
    from: 'stopOutcome === null && !withheld[node] && !call.problem',
    to: 'stopOutcome === null && !call.problem',
    scenario: 'the tools of a response that goes on',
  },
  {
    name: 'the model is not told who has stopped its tools',
    file: 'src/core/transcript/stopped-tools.ts',
    from: 'message.callId !== last) return message',
    to: 'message.callId === last) return message',
    scenario: 'the tools of a turn',
  },
  {
    name: 'a stop before a response has its id is forgotten',
    file: 'machines/response.ts',
    from: "ABORT: { target: 'marked', actions: 'armOverdue' }",
    to: "ABORT: { target: 'requested' }",
    scenario: 'a response of a speech model that is created late',
  },
  {
    name: 'a delta that comes after the cut of its response is passed on',
    file: 'src/adapters/models/realtime/realtime-response.ts',
    from: 'if (this.#abortedBy !== null || this.isOver) return;',
    to: 'if (this.isOver) return;',
    scenario: 'speech of a model that is cut',
  },
  {
    name: 'a response that cannot be stopped keeps its connection',
    file: 'src/adapters/models/realtime/realtime-response.ts',
    from: 'return this.#options.terminate(this);',
    to: 'return;',
    scenario: 'a provider of speech that is deaf',
  },
  ...crashPlants,
  {
    name: 'a cell that is visited is declared impossible',
    file: 'scripts/prove/coverage/cells.ts',
    from: "phases: ['session closing'],",
    to: "phases: ['session open'],",
    scenario: 'plain response',
  },
];
