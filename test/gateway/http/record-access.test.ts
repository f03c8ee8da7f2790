// Records of sessions that are asleep: who may read them while the store or its content changes.
import { expect, test } from 'vitest';
import { AccessDenied } from '../../../src/core/runtime/admission.ts';
import { createVirtualSources } from '../../../src/core/sources/virtual.ts';
import { RecordAccess } from '../../../src/gateway/http/record-access.ts';

/** The access of one reader; `look` looks a session that is asleep up and returns the verdict. */
function openAccess(check: () => Promise<void>) {
  const { clock } = createVirtualSources();
  const errors: unknown[] = [];
  let known = Promise.withResolvers<void>();
  const access = new RecordAccess({
    clock,
    caller: { speaker: { id: 'mod', roles: ['moderator'] }, connection: 'c' },
    directory: {
      awakeHere: { mayRead: () => null, describe: () => [], activity: () => new Map(), release: async () => false },
      check,
    },
    onKnown: () => known.resolve(),
    report: (error) => errors.push(error),
  });
  const look = async () => {
    known = Promise.withResolvers<void>();
    expect(access.mayRead('room')).toBe(null);
    await known.promise;
    return access.mayRead('room');
  };
  return { access, clock, errors, look };
}

test('a verdict on a session that is asleep counts for a second [http.api.access]', async () => {
  let isRemoved = false;
  const { access, clock, look } = openAccess(async () => {
    if (isRemoved) throw new AccessDenied('read');
  });
  expect(await look()).toBe(true);
  isRemoved = true;
  await clock.advance(999);
  expect(access.mayRead('room')).toBe(true);
  await clock.advance(1);
  expect(await look()).toBe(false);
});

test('a look-up that fails is reported; the verdict before counts for one more second only [http.api.access]', async () => {
  let isBroken = false;
  const { access, clock, errors, look } = openAccess(async () => {
    if (isBroken) throw new Error('the store is broken');
  });
  expect(await look()).toBe(true);
  isBroken = true;
  await clock.advance(1_000);
  expect(await look()).toBe(true);
  expect(errors).toEqual([new Error('the store is broken')]);
  await clock.advance(1_000);
  expect(await look()).toBe(false);
  isBroken = false;
  await clock.advance(999);
  expect(access.mayRead('room')).toBe(false);
  await clock.advance(1);
  expect(await look()).toBe(true);
});
