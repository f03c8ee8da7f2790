// Addresses of the page: what a link opens, and the way back.
import { expect, test } from 'vitest';
import { parseRoute, type Route, routeHref } from '../../src/page/page-state/routing.ts';

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
