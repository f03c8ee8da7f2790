// Both ends of a channel between two processes, in one process: what one sends, the other receives as a copy, later.
import { EventEmitter } from 'node:events';
import type { ChannelProcess, OwnChannel } from '../../../src/adapters/buses/channel-bus.ts';
import type { StoreClient } from '../../../src/adapters/stores/remote-log.ts';

/** Returns the end of the parent and that of the child. */
export function pairedChannel(): { readonly child: ChannelProcess & StoreClient; readonly own: OwnChannel } {
  const [parentEnd, childEnd] = [new EventEmitter(), new EventEmitter()];
  const carry = (to: EventEmitter, message: object) => {
    const copy: unknown = JSON.parse(JSON.stringify(message));
    setImmediate(() => to.emit('message', copy));
    return true;
  };
  const child = Object.assign(parentEnd, { connected: true, send: (message: object) => carry(childEnd, message) });
  const own = Object.assign(childEnd, { connected: true, send: (message: object) => carry(parentEnd, message) });
  return { child, own: own as unknown as OwnChannel }; // the bus needs nothing else of a process
}
