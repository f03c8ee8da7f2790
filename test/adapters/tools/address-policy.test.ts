// Policy for network addresses: public ones, and those that the configuration allows.
import { expect, test } from 'vitest';
import { createAddressPolicy } from '../../../src/adapters/tools/address-policy.ts';

test('addresses are checked by the ranges of IANA', () => {
  const { allows } = createAddressPolicy();
  const open = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1', '::ffff:8.8.8.8'];
  const closed = [
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.1.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::10.1.1.1',
    '::ffff:10.1.1.1',
    '::ffff:a01:101',
    '64:ff9b::a01:101',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'fe80::1%lo',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:a01:101::1',
    '100::1',
    'localhost',
    '',
    '1.2.3',
    '8.8.8.8:80',
  ];
  expect(open.filter((address) => !allows(address))).toEqual([]);
  expect(closed.filter(allows)).toEqual([]);
});

test('the configuration allows addresses and ranges, and nothing else', () => {
  const { allows } = createAddressPolicy(['10.0.0.0/8', '::1', 'fd00::/8']);
  expect(['10.9.9.9', '::1', 'fd12::3', '::ffff:10.0.0.1'].filter((address) => !allows(address))).toEqual([]);
  expect(['127.0.0.1', 'fc00::1', '11.0.0.1'].map(allows)).toEqual([false, false, true]);
  for (const wrong of ['localhost', '10.0.0.0/33', '10.0.0.0/x', '', '::1/129']) {
    expect(() => createAddressPolicy([wrong])).toThrow(wrong);
  }
});
