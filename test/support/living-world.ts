// One life of the process in a random conversation: a runtime in which cuts, runs and requests are noted, and its members.
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { ModelRequest } from '../../src/core/contracts/provider.ts';
import type { LiveTree } from '../../src/core/live/tree.ts';
import type { Caller, SessionListener } from '../../src/core/session/api.ts';
import type { SessionSpec } from '../../src/core/session/session-spec.ts';
import type { Limits } from '../../src/core/workers/session-limits.ts';
import { callerOf, type Harness, startHarness } from './harness.ts';
import { askingTools, type PlannedModel } from './planned-model.ts';

export interface Life {
  /** Nodes that were cut, in order, and how many facts the log had by then. */
  readonly cuts: ReadonlyMap<NodeId, { readonly at: number; readonly ran: boolean }>;
  readonly ran: ReadonlyMap<NodeId, number>;
  readonly requests: readonly { readonly at: number; readonly messages: ModelRequest['messages'] }[];
  readonly left: readonly string[];
}

export interface Seams {
  /** Every live tree that is made. */
  readonly trees: LiveTree[];
}

/** A speaker of a conversation, in all lives of the process. */
export class Member {
  readonly caller: Caller;
  /** The highest sequence number that it holds. */
  held = 0;
  /** The text that it was shown, by model call. */
  readonly shown = new Map<string, string>();
  /** Root turns that it has seen opened. */
  readonly opened: NodeId[] = [];
  /** Refs of its SAYs and RESUMEs that have no reply. */
  readonly unreplied = new Set<string>();

  constructor(caller: Caller) {
    this.caller = caller;
  }

  get id(): SpeakerId {
    return this.caller.speaker.id;
  }

  readonly listener: SessionListener = {
    joined: () => {},
    fact: ({ seq, fact }) => {
      if (fact.type === 'turn_opened' && seq > this.held) this.opened.push(fact.turn);
      this.held = Math.max(this.held, seq);
    },
    text: ({ turn, index, text }) => {
      const block = `${turn}/${index}`;
      this.shown.set(block, (this.shown.get(block) ?? '') + text);
    },
    output() {},
    progress() {},
    accepted() {},
    ended() {},
  };
}

export const makeMembers = () => [
  new Member(callerOf('alice')),
  new Member(callerOf('bob')),
  new Member(callerOf('carol', ['moderator'])),
];

export interface WorldOptions {
  readonly model: PlannedModel;
  readonly seams: Seams;
  readonly members: readonly Member[];
  readonly spec: Partial<SessionSpec>;
  readonly limits: Partial<Limits>;
}

export class LivingWorld {
  readonly harness: Harness;
  readonly tree: LiveTree;
  readonly #requests: Life['requests'][number][];
  readonly #cuts = new Map<NodeId, { at: number; ran: boolean }>();
  readonly #ran = new Map<NodeId, number>();

  constructor(harness: Harness, tree: LiveTree, requests: Life['requests'][number][]) {
    this.harness = harness;
    this.tree = tree;
    this.#requests = requests;
    const push = harness.entered.push.bind(harness.entered);
    harness.entered.push = (...ids) => {
      for (const id of ids) this.#ran.set(id, harness.clock.now());
      return push(...ids);
    };
    const cut = tree.cut.bind(tree);
    tree.cut = (stop) => {
      for (const id of stop.keys())
        if (!tree.get(id)?.cut) this.#cuts.set(id, { at: harness.clock.now(), ran: harness.entered.includes(id) });
      cut(stop);
    };
  }

  /** Opens the harness over a log; all members join. `life`: which life of the process it is, from 1. */
  static async open(
    { model, seams, members, spec, limits }: WorldOptions,
    life: number,
    log = createMemoryLog(),
  ): Promise<LivingWorld> {
    const requests: Life['requests'][number][] = [];
    const from = seams.trees.length;
    const harness: Harness = await startHarness({
      log,
      life,
      tools: askingTools,
      respond: (request) => {
        requests.push({ at: harness.clock.now(), messages: request.messages });
        return model.respond(request);
      },
      agents: { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } },
      session: () => spec,
      limits: { disconnectGraceMs: 500, approvalMs: 1_500, ...limits },
      ownerOfCall: (call) => (/"of":"(\w+)"/.exec(call.arguments)?.[1] ?? call.turnOwner) as SpeakerId,
    });
    const living = new LivingWorld(harness, seams.trees[from] as LiveTree, requests);
    for (const { caller, listener, held } of members) await harness.session.join(caller, listener, held);
    return living;
  }

  /** Returns what has happened in this life. */
  record(): Life {
    return {
      cuts: this.#cuts,
      ran: new Map(this.#ran),
      requests: this.#requests,
      left: this.tree.entries().map(({ id }) => id),
    };
  }
}
