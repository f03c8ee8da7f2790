// Media queries of the inspector: how high a row of a list has to be, and whether panes have room side by side.
import { useSyncExternalStore } from 'react';

const subscribeTo = (query: string) => (listener: () => void) => {
  const list = matchMedia(query);
  list.addEventListener('change', listener);
  return () => list.removeEventListener('change', listener);
};

const forFingers = '(pointer: coarse)';
const wide = '(min-width: 761px)';
const subscribeToPointer = subscribeTo(forFingers);
const subscribeToWidth = subscribeTo(wide);

/** Returns the height of a row in pixels: more for fingers than for a mouse. */
export const useRowHeight = (): number =>
  useSyncExternalStore(subscribeToPointer, () => (matchMedia(forFingers).matches ? 40 : 30));

/** Returns whether the screen is wide, as the style sheet has it. */
export const useIsWide = (): boolean => useSyncExternalStore(subscribeToWidth, () => matchMedia(wide).matches);
