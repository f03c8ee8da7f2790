// The conformance program, gateways: our own keeps every requirement, and one that breaks a requirement is caught.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkGateway, gatewayChecks } from '../../scripts/conformance/check-gateway.ts';
import { OwnGateway } from '../../scripts/conformance/own-gateway.ts';
import { reportLine } from '../../scripts/conformance/verdict.ts';
import { type AnyFrame, type Mutate, type Mutation, startMutatingProxy } from '../support/mutating-proxy.ts';
import { scaled } from '../support/time-scale.ts';

let own: OwnGateway;
beforeAll(async () => {
  own = await OwnGateway.start();
}, scaled(60_000));
afterAll(() => own.close());

/** Checks our gateway, which runs as `npm run conformance -- --self` runs it. Resolves with the lines of what is not ok. */
async function check(only?: readonly string[], mutation: Mutation | null = null): Promise<readonly string[]> {
  const url = mutation ? await startMutatingProxy(own.options.url, mutation) : own.options.url;
  const replyMs = scaled(mutation ? 300 : 5_000);
  const lines: string[] = [];
  await checkGateway(
    { ...own.options, url, replyMs },
    (requirement, verdict) => {
      if (verdict.kind !== 'ok') lines.push(reportLine(requirement, verdict));
    },
    only,
  );
  return lines;
}

const on =
  (type: string, change: Mutate): Mutate =>
  (frame) =>
    frame['type'] === type ? change(frame) : [frame];
const drop = (type: string, is: (frame: AnyFrame) => boolean = () => true) =>
  on(type, (frame) => (is(frame) ? [] : [frame]));
const put = (type: string, fields: AnyFrame) => on(type, (frame) => [{ ...frame, ...fields }]);
const without = (type: string, ...names: readonly string[]) =>
  on(type, (frame) => [Object.fromEntries(Object.entries(frame).filter(([name]) => !names.includes(name)))]);
const twice = (type: string) => on(type, (frame) => [frame, frame]);
const dropError = (code: string) => drop('error', (frame) => frame['code'] === code);

let hellos = 0;
let refusals = 0;

/** For each requirement a gateway that breaks it. */
const mutations: Readonly<Record<string, Mutation>> = {
  'hello.subprotocol': {},
  'hello.first': { down: dropError('hello_expected') },
  'hello.welcome': { down: without('welcome', 'limits') },
  'hello.once': { up: drop('HELLO', () => hellos++ % 2 === 1) },
  'hello.early': { down: drop('left') },
  'frames.invalid': { down: on('error', (frame) => [{ ...frame, code: 'bad_field' }]) },
  'frames.large': { down: dropError('frame_too_large') },
  'frames.as': { up: without('SAY', 'as') },
  'frames.reply': { down: twice('unknown_target') },
  'frames.session': { down: dropError('session_required') },
  'frames.form': { down: put('joined', { seq: 'many' }) },
  'limits.cancel': { up: drop('CANCEL') },
  'join.once': { down: dropError('already_joined') },
  'join.replay': { down: twice('model_ended') },
  'join.last': { up: on('JOIN', ({ last, ...frame }) => [last === undefined ? frame : { ...frame, after: 0 }]) },
  'join.blocks': { down: put('joined', { blocks: [] }) },
  'leave.silent': {
    down: on('left', (frame) => [frame, { type: 'tool_output', session: frame['session'], node: 'call_1', text: '!' }]),
  },
  'say.turn': { down: twice('turn_ended') },
  'say.text': { down: drop('text_delta') },
  'say.repeat': { down: without('turn_opened', 'repeated') },
  'ref.reused': { down: dropError('ref_reused') },
  'ref.none': { down: put('unknown_target', { ref: 'c1' }) },
  'answer.question': { up: put('APPROVE', { question: undefined }) },
  'answer.expired': { down: put('answer_refused', { code: 'not_addressed' }) },
  'cancel.receipt': { down: put('cancel_settled', { nodes: [] }) },
  'cancel.quiet': {
    down: on('cancel_accepted', (frame) => [
      frame,
      { type: 'text_delta', session: frame['session'], turn: frame['stopping'][0], index: 0, offset: 0, text: '!' },
    ]),
  },
  'cancel.repeat': { down: on('cancel_settled', (frame) => [{ ...frame, seq: 9, at: 9 }]) },
  'cancel.settled': { down: put('already_settled', { receipt: null }) },
  'cancel.late-copy': { down: without('already_settled', 'running') },
  'cancel.seen': { up: without('CANCEL', 'seen', 'says') },
  'cancel.says': { up: on('CANCEL', (frame) => [frame['says'] ? { ...frame, says: [] } : frame]) },
  'cancel.tools': {
    up: on('CANCEL', (frame) => [{ ...frame, target: frame['target'].replace('tools:', '') }]),
  },
  'cancel.tools.call': { down: put('approval_closed', { answer: 'expired' }) },
  'cancel.tools.targets': { up: drop('CANCEL', ({ target }) => target.startsWith('tools:say:')) },
  'cancel.tools.repeat': { down: without('cancel_accepted', 'running') },
  'cancel.lane': {
    up: on('CANCEL', (frame) => [{ ...frame, target: frame['target'].replace('lane:', '') }]),
  },
  'cancel.early': { down: put('say_refused', { code: 'lane_full' }) },
  'cancel.say': { up: drop('CANCEL', ({ target }) => target.startsWith('say:')) },
  'cancel.members': { down: drop('cancel_accepted') },
  'cancel.lost-client': { down: put('joined', { nodes: [] }) },
  'access.join': {
    down: on('error', ({ code, ...frame }) =>
      code === 'access_denied'
        ? [
            { ...frame, code },
            { ...frame, type: 'turn_started' },
          ]
        : [{ ...frame, code }],
    ),
  },
  'access.same': {
    down: on('error', (frame) => [
      frame['code'] === 'access_denied' ? { ...frame, message: `${frame['message']} (${refusals++})` } : frame,
    ]),
  },
  'invite.join': { down: without('member_invited', 'repeated') },
  'invite.owner': { up: on('REMOVE', (frame) => [{ ...frame, type: 'PING', session: undefined, speaker: undefined }]) },
  'remove.leaves': { down: drop('left') },
  'remove.owner': {
    down: on('error', ({ ref, session, code, ...frame }) =>
      code === 'access_denied'
        ? [{ type: 'member_removed', ref, session, seq: 9, at: 9, speaker: 'ann', by: 'ann' }]
        : [{ ref, session, code, ...frame }],
    ),
  },
  'roles.moderator': { down: put('cancel_accepted', { type: 'cancel_refused' }) },
  'roles.emergency': { down: put('cancel_settled', { seq: 9, at: 9 }) },
  'standing.refused': { down: put('cancel_refused', { refused: [] }) },
  'delegate.stop': { up: without('DELEGATE', 'until') },
  'delegate.own': { up: without('DELEGATE', 'target') },
  rename: { down: without('session_renamed', 'repeated') },
  'timeout.set': { down: without('tool_timeout_set', 'repeated') },
  'timeout.refused': { down: put('error', { code: 'unavailable' }) },
  'steer.deferred': { down: without('input_deferred', 'repeated') },
  'steer.consumed': {
    down: on('input_settled', (frame) => [frame, { ...frame, type: 'turn_opened', turn: frame['input'] }]),
  },
  'steer.queued': { down: put('turn_opened', { seq: 1 }) },
  'steer.cancelled': { down: without('cancel_accepted', 'queue') },
  'steer.say': { down: put('turn_opened', { type: 'say_refused' }) },
  'steer.refused': { down: put('say_refused', { code: 'not_steerable' }) },
  'resume.turn': { down: without('turn_opened', 'resumes') },
  'resume.words': { down: without('turn_opened', 'resumes') },
  'resume.refused': { down: put('say_refused', { code: 'unknown_turn' }) },
  'phrase.cancel': { down: put('cancel_accepted', { source: 'client' }) },
  'phrase.repeat': { down: without('stop_phrase', 'repeated') },
  'phrase.words': { down: put('turn_opened', { type: 'stop_phrase' }) },
  'bridge.as': { down: without('turn_opened', 'via') },
  'bridge.only': { up: without('STEER', 'replyToBot') },
  'speaker.reply': { down: put('speaker', { roles: [] }) },
  'voice.text': { down: put('error', { code: 'as_not_allowed' }) },
  'voice.transcript': { down: put('transcript_ignored', { reason: 'partial' }) },
  'voice.barge-in': { down: drop('speech_stop') },
  'voice.played': { down: put('played', { offset: 0 }) },
  'limits.rate': { down: dropError('rate_limited') },
  'limits.sessions': { down: on('error', (frame) => [{ ...frame, code: 'too_many_opens' }]) },
  'close.errors': { closeCode: 4499 },
  'close.flood': { closeCode: 4400 },
  'close.unauthorized': { closeCode: 4402 },
  'close.expired': { closeCode: 4401 },
  'close.hello': { closeCode: 4409 },
  'close.heartbeat': { closeCode: 4408 },
  'close.invalid': { closeCode: 4400 },
  'durable.false': { down: drop('cancel_accepted', ({ durable }) => durable === false) },
  'restart.refs': { down: without('turn_opened', 'repeated') },
  'restart.shutdown': { closeCode: 4499 },
  'recovery.closes': { down: drop('session_recovered') },
  'recovery.questions': { down: put('tool_result', { effect: 'unknown' }) },
  'fork.reply': { down: without('session_opened', 'forked') },
  'fork.repeat': { down: without('forked', 'repeated') },
  'fork.refused': { down: put('error', { code: 'unavailable' }) },
  'read.reply': { up: on('READ', (frame) => [{ type: 'SAY', text: 'It is read.' }, frame]) },
};

test('our gateway keeps every requirement [ws.protocol]', { timeout: scaled(60_000) }, async () => {
  expect(await check()).toEqual([]);
});

describe('a gateway that breaks', () => {
  test.each(Object.entries(mutations))('%s is caught', async (id, mutation) => {
    const only = id === 'frames.form' ? ['join.once', id] : [id]; // it is about the frames of the others
    expect(await check(only, mutation)).toEqual([expect.stringMatching(`^failed +${id}`)]);
  });

  test('any requirement has a row above', () => {
    expect(Object.keys(mutations).toSorted()).toEqual(gatewayChecks.map(({ id }) => id).toSorted());
  });
});
