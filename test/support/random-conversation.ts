// Random conversations for the whole runtime: trees of calls, speakers who come and go, cancels, answers, steers and resumes at random moments,
// acknowledgements, commands that come twice or late, machines that throw, a host that is suspended, a process that dies.
import type { RecordedFact } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { AnswerRequest, CancelRequest, ResumeRequest, SayRequest } from '../../src/core/session/api.ts';
import type { ConversationRecord, SentCommand } from './conversation-record.ts';
import { Dice } from './dice.ts';
import { type Life, LivingWorld, type Member, makeMembers, type Seams } from './living-world.ts';
import { PlannedModel } from './planned-model.ts';

/** Something that happens at a moment, in milliseconds from the start. */
interface Moment {
  readonly at: number;
  readonly act: () => Promise<void> | void;
}

const withText = (answer: AnswerRequest['answer'], text: string) =>
  answer === 'answered' ? { answer, text } : { answer };

/** A conversation: the moments at which something happens in it. */
export class RandomConversation {
  readonly sent: SentCommand[] = [];
  readonly gaps: { from: number; to: number }[] = [];
  readonly #moments: Moment[] = [];
  readonly #dice: Dice;
  readonly #model: PlannedModel;
  readonly #members: readonly Member[];
  readonly #life: () => LivingWorld;
  #refs = 0;

  constructor(dice: Dice, model: PlannedModel, members: readonly Member[], life: () => LivingWorld) {
    this.#dice = dice;
    this.#model = model;
    this.#members = members;
    this.#life = life;
  }

  /** Takes the moment that comes first out of the queue, if one is left. */
  next(): Moment | undefined {
    const next = this.#moments.toSorted((a, b) => a.at - b.at)[0];
    if (next) this.#moments.splice(this.#moments.indexOf(next), 1);
    return next;
  }

  say(at: number): void {
    const member = this.#dice.pick(this.#members.slice(0, 2));
    const said = { text: this.#model.planTurn(0), ref: this.#ref() };
    const send = () => this.#sendSay(member, said);
    this.#at(at, send);
    if (said.ref !== undefined && this.#dice.maybe(0.4)) this.#at(at + this.#dice.int(2_500), send);
  }

  /** Words for a turn that runs: the latest of the speaker, or any. */
  steer(at: number): void {
    const dice = this.#dice;
    const member = dice.pick(this.#members.slice(0, 2));
    const said = { text: this.#model.planTurn(2), ref: this.#ref() };
    this.#at(at, () => {
      const turns = this.#life()
        .tree.entries()
        .filter(({ kind }) => kind === 'turn');
      const target = turns.length > 0 && dice.maybe(0.4) ? dice.pick(turns).id : undefined;
      const send = () => this.#sendSay(member, { ...said, steer: { target } });
      send();
      if (said.ref !== undefined && dice.maybe(0.4)) this.#at(at + dice.int(1_500), send);
    });
  }

  /** Takes a turn up again that was opened, interrupted or not, with words or without. */
  resume(at: number): void {
    const dice = this.#dice;
    const member = dice.pick([...this.#members, ...this.#members.slice(0, 2)]);
    const text = dice.maybe(0.4) ? this.#model.planTurn(2) : undefined;
    const ref = this.#ref();
    this.#at(at, () => {
      if (member.opened.length === 0) return;
      const request = { turn: dice.pick(member.opened), text, ref };
      this.#sendResume(member, request);
      if (dice.maybe(0.5)) this.#at(at + dice.int(1_500), () => this.#sendResume(member, request));
    });
  }

  /** A CANCEL, perhaps with late copies: as it was, or as a client sends it again, whose first sending may be lost. */
  cancel(at: number): void {
    const dice = this.#dice;
    const member = dice.pick([...this.#members, ...this.#members.slice(0, 2)]);
    const [force, ref, copies] = [dice.maybe(0.1), this.#ref(), dice.maybe(0.5) ? 1 + dice.int(2) : 0];
    const isLost = copies > 0 && ref !== undefined && dice.maybe(0.3);
    this.#at(at, () => {
      const target = this.#target();
      const knew = { seen: member.held, says: [...member.unreplied] };
      if (!isLost) this.#sendCancel(member, { target, force, ref });
      if (ref === undefined) return;
      for (let i = 0; i < copies; i++) {
        const again = isLost || dice.maybe(0.5) ? knew : {};
        const later = at + dice.int(2_500);
        this.#at(later, () => this.#sendCancel(member, { target, ref, force: dice.maybe(0.1), ...again }));
      }
    });
  }

  /** Answers a question that is open, or one that was, with or without its id; perhaps twice. */
  answer(at: number): void {
    const dice = this.#dice;
    const member = dice.pick([...this.#members, ...this.#members.slice(0, 2)]);
    this.#at(at, () => {
      const asked = this.#life()
        .tree.entries()
        .flatMap(({ id: target, question }) =>
          question ? { target, id: question.id, type: question.asked.type } : [],
        );
      if (asked.length === 0) return;
      const { target, id, type } = dice.pick(asked);
      const answer = type === 'question_asked' ? 'answered' : dice.pick(['approved', 'approved', 'denied'] as const);
      const question = dice.maybe(0.6) ? { question: id } : {};
      const request = { target, ref: this.#ref(), ...withText(answer, `because ${at}`), ...question };
      this.#sendAnswer(member, request);
      if (dice.maybe(0.6)) this.#at(at + dice.int(600), () => this.#sendAnswer(member, request));
    });
  }

  /** A speaker's connection goes, and comes back later or never. */
  leave(at: number): void {
    const member = this.#dice.pick(this.#members.slice(0, 2));
    const how = this.#dice.pick(['lost', 'left'] as const);
    const { caller, listener } = member;
    this.#at(at, () => void this.#life().harness.session.leave(caller.connection, how));
    if (this.#dice.maybe(0.2)) return;
    this.#at(at + this.#dice.int(2_000), () => {
      void this.#life().harness.session.join(caller, listener, member.held);
    });
  }

  /** The host is suspended. */
  suspend(at: number): void {
    const ms = 200 + this.#dice.int(5_000);
    this.#at(at, async () => {
      const { clock } = this.#life().harness;
      const from = clock.now();
      await clock.jump(ms);
      this.gaps.push({ from, to: clock.now() });
    });
  }

  /** Sends a machine an event that makes it throw. */
  poison(at: number): void {
    this.#at(at, () => {
      const victims = this.#life()
        .tree.entries()
        .filter(({ actor }) => actor !== null);
      if (victims.length > 0) this.#dice.pick(victims).actor?.send({ type: 'CANCEL' }); // a guard reads the plan that this has not
    });
  }

  #at(at: number, act: Moment['act']): void {
    this.#moments.push({ at, act });
  }

  /** Chooses a ref: none, a new one, or one of a few that come again. */
  #ref(): string | undefined {
    const dice = this.#dice;
    if (dice.maybe(0.25)) return undefined;
    return dice.maybe(0.25) ? `again-${dice.int(3)}` : `ref-${this.#refs++}`;
  }

  #sendSay({ id: by, caller, unreplied }: Member, { text, ref, steer }: SayRequest): void {
    const sent: SentCommand = { kind: 'say', by, ref, text, steers: steer !== undefined, reply: null };
    this.sent.push(sent);
    if (ref !== undefined) unreplied.add(ref);
    void this.#life()
      .harness.session.say(caller, { text, ref, steer })
      .then((reply) => {
        sent.reply = reply;
        if (ref !== undefined) unreplied.delete(ref);
      });
  }

  #sendResume({ id: by, caller, unreplied }: Member, request: ResumeRequest): void {
    const { ref } = request;
    const sent: SentCommand = { kind: 'resume', by, ref, request, reply: null };
    this.sent.push(sent);
    if (ref !== undefined) unreplied.add(ref);
    void this.#life()
      .harness.session.resume(caller, request)
      .then((reply) => {
        sent.reply = reply;
        if (ref !== undefined) unreplied.delete(ref);
      });
  }

  #sendCancel({ id: by, caller }: Member, request: CancelRequest): void {
    const sent: SentCommand = { kind: 'cancel', by, ref: request.ref, request, reply: null, repliedAt: 0 };
    this.sent.push(sent);
    const reply = this.#life().harness.session.cancel(caller, request);
    void reply.then((came) => {
      sent.reply = came;
      sent.repliedAt = Math.max(...this.#members.map(({ held }) => held));
    });
  }

  #sendAnswer({ id: by, caller }: Member, request: AnswerRequest): void {
    const sent: SentCommand = { kind: 'answer', by, ref: request.ref, request, reply: null };
    this.sent.push(sent);
    const reply = this.#life().harness.session.answer(caller, request);
    void reply.then((came) => {
      sent.reply = came;
    });
  }

  #target(): NodeId {
    const live = this.#life()
      .tree.entries()
      .map(({ id }) => id);
    if (this.#dice.maybe(0.2)) return 'session';
    if (this.#dice.maybe(0.25)) return 'mine';
    if (this.#dice.maybe(0.05) || live.length === 0) return 'turn_nowhere';
    if (this.#dice.maybe(0.25)) return this.#dice.pick(['tools:mine', ...live.map((id) => `tools:${id}`)]);
    return this.#dice.pick(live);
  }
}

/** Copies the log of a life that was killed, as the next life finds it. */
export async function logAfter(life: LivingWorld) {
  const events = await life.harness.log.read('s', 0);
  const log = createMemoryLog();
  const epoch = await log.claim('s', 0, 'the dead');
  const bodies = events.map(({ body }) => body);
  if (bodies.length > 0) await log.append('s', epoch, 0, bodies);
  return log;
}

export const repeat = (count: number, act: () => void) => {
  for (let i = 0; i < count; i++) act();
};

/** Plays one random conversation to its end, in virtual time. */
export async function playConversation(seed: number, seams: Seams): Promise<ConversationRecord> {
  const dice = new Dice(seed);
  const model = new PlannedModel(dice);
  const lives: Life[] = [];
  const shieldMs = dice.maybe(0.2) ? dice.pick([0, 800, 2_000]) : null;
  const interruptible = shieldMs === null ? {} : { interruptible: false, shieldMs };
  const onDisconnect = dice.pick(['cancel', 'continue', 'continue'] as const);
  const members = makeMembers();
  const acknowledge = dice.pick(['on', 'on', 'reaction', 'off'] as const);
  const whileRunning = dice.pick(['queue', 'queue', 'queue', 'interrupt', 'steer', 'parallel'] as const);
  const acknowledgeEveryMs = dice.pick([0, 1_000, 10_000]);
  const spec = { policy: 'owner', onDisconnect, ...interruptible, acknowledge, whileRunning } as const;
  const options = { model, seams, members, spec, limits: { acknowledgeEveryMs } };
  let life = await LivingWorld.open(options, 1);
  const conversation = new RandomConversation(dice, model, members, () => life);
  repeat(1 + dice.int(4), () => conversation.say(dice.int(dice.maybe(0.5) ? 100 : 3_000)));
  repeat(1 + dice.int(5), () => conversation.cancel(dice.int(3_500)));
  repeat(dice.int(8), () => conversation.answer(dice.int(4_000)));
  repeat(dice.maybe(0.3) ? 1 + dice.int(2) : 0, () => conversation.leave(dice.int(3_000)));
  if (dice.maybe(0.2)) conversation.suspend(dice.int(3_500));
  const poisoned = dice.maybe(0.2);
  if (poisoned) conversation.poison(dice.int(2_500));
  repeat(dice.int(4), () => conversation.steer(dice.int(3_000)));
  repeat(dice.int(4), () => conversation.resume(dice.int(5_000)));
  const killAt = dice.maybe(0.25) ? dice.int(3_500) : null;

  let passed = 0;
  for (let moment = conversation.next(); moment; moment = conversation.next()) {
    if (killAt !== null && lives.length === 0 && moment.at >= killAt) {
      await life.harness.clock.advance(killAt - passed);
      passed = killAt;
      const log = await logAfter(life);
      lives.push(life.record());
      life = await LivingWorld.open(options, 2, log);
    }
    await life.harness.clock.advance(moment.at - passed);
    passed = moment.at;
    await moment.act();
  }
  await life.harness.clock.advance(30_000);
  lives.push(life.record());
  const log = (await life.harness.log.read('s', 0)).map(({ body }) => body as RecordedFact);
  const { sent, gaps } = conversation;
  const shown = members.at(-1)?.shown ?? new Map<string, string>();
  const rules = { shieldMs, acknowledge, acknowledgeEveryMs };
  return { seed, lives, log, sent, shown, gaps, ...rules, poisoned, killed: lives.length > 1 };
}
