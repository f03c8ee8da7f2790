// Addresses of the page: what a link opens, and the way back.
import { expect, test } from 'vitest';
import { parseRoute, type Route, routeHref } from '../../src/page/page-state/routing.ts';
import { ServerClock } from '../../src/page/page-state/server-clock.ts';

test.each<[string, Route]>([
  ['#/', { view: 'chat', session: null }],
  ['#/session/room%2Fa', { view: 'chat', session: 'room/a' }],
  ['#/settings', { view: 'settings' }],
  ['#/inspector/all', { view: 'inspector', session: null, place: [], at: null }],
  ['#/inspector/demo/cancel/cancel_2', { view: 'inspector', session: 'demo', place: ['cancel', 'cancel_2'], at: null }],
  ['#/inspector/demo/actor/x%3A3?at=17', { view: 'inspector', session: 'demo', place: ['actor', 'x:3'], at: 17 }],
  ['#/machines', { view: 'machines', machine: null, chosen: null }],
  ['#/machines/turn', { view: 'machines', machine: 'turn', chosen: null }],
  ['#/machines/turn/acting.interrupted', { view: 'machines', machine: 'turn', chosen: 'acting.interrupted' }],
])('%s', (fragment, route) => {
  expect(parseRoute(fragment)).toEqual(route);
  expect(routeHref(route)).toBe(fragment);
});

test('what is no address of the page is its start', () => {
  for (const fragment of ['', '#', '#/nowhere', '#%'])
    expect(parseRoute(fragment)).toEqual({ view: 'chat', session: null });
  expect(parseRoute('#/session/%')).toEqual({ view: 'chat', session: '%' });
});

test('seconds are right although the clock of the browser is another one', () => {
  let now = 1_000_000;
  const clock = new ServerClock(() => now);
  expect(clock.now()).toBe(1_000_000);
  clock.observe(100_000); // a replayed fact is old
  clock.observe(940_000);
  expect(clock.now()).toBe(940_000);
  now += 5_000;
  expect(clock.now()).toBe(945_000);
  const near = new ServerClock(() => 1_000);
  near.observe(900); // the way took 100 ms
  expect(near.now()).toBe(1_000);
});
