// Whether this browser shows notifications: only where the person has allowed them here.
import { useSyncExternalStore } from 'react';
import { Listeners } from '../../core/collections/listeners.ts';

/** `off`: this browser shows none. `blocked`: the browser does not allow it. `missing`: it has none. */
export type NoticeState = 'on' | 'off' | 'blocked' | 'missing';

const storageName = 'belay-notices';
const listeners = new Listeners<void>();

function readNoticeState(): NoticeState {
  if (!('Notification' in globalThis)) return 'missing';
  if (Notification.permission === 'denied') return 'blocked';
  try {
    return Notification.permission === 'granted' && localStorage.getItem(storageName) === 'on' ? 'on' : 'off';
  } catch {
    return 'off';
  }
}

/** Whether notifications come. */
export const areNoticesOn = (): boolean => readNoticeState() === 'on';

/** Asks the browser for its permission: called by a click, and by nothing else. */
export async function allowNotices(): Promise<void> {
  if ((await Notification.requestPermission()) === 'granted') keep('on');
  else listeners.emit('change', undefined);
}

/** Shows no more notifications, also on later visits. */
export const stopNotices = (): void => keep('off');

function keep(state: 'on' | 'off'): void {
  try {
    localStorage.setItem(storageName, state);
  } catch {
    // without storage there are none
  }
  listeners.emit('change', undefined);
}

const subscribe = (listener: () => void): (() => void) => listeners.on('change', listener);

/** Returns whether notifications come, and follows it. */
export const useNoticeState = (): NoticeState => useSyncExternalStore(subscribe, readNoticeState);
