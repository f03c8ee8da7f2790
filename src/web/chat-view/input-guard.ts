// Keeps a question from taking input that was not meant for it: what was typed or pressed before it was shown, or within 500 ms after.
import { useEffect, useRef, useState } from 'react';
import { pageClock } from '../page-state/page-clock.ts';

/** How long a question must have been in sight before it takes input, in milliseconds. */
export const guardMs = 500;

export interface InputGuard {
  /** Whether the question takes input. */
  readonly isArmed: boolean;
  /** For the element around the buttons: notes where a press begins. */
  readonly onPressStart: (event: { readonly repeat?: boolean; readonly isTrusted?: boolean }) => void;
  /** Whether the click that is being handled began after the question was armed. Each press counts once. */
  readonly accepts: (event: { readonly detail: number }) => boolean;
}

/** Returns the guard of a question that is shown now. While the page is hidden nobody sees it, and its time does not run. */
export function useInputGuard(): InputGuard {
  const [isArmed, setIsArmed] = useState(false);
  const isPressGood = useRef(false);
  useEffect(() => {
    let disarm = () => {};
    const start = () => {
      disarm();
      setIsArmed(false);
      if (document.visibilityState === 'visible') disarm = pageClock.after(guardMs, () => setIsArmed(true));
    };
    start();
    document.addEventListener('visibilitychange', start);
    return () => {
      disarm();
      document.removeEventListener('visibilitychange', start);
    };
  }, []);
  return {
    isArmed,
    onPressStart: ({ repeat = false }) => {
      isPressGood.current = isArmed && !repeat;
    },
    accepts: ({ detail }) => {
      // a click without a press comes from assistive technology
      const isGood = isArmed && (isPressGood.current || detail === 0);
      isPressGood.current = false;
      return isGood;
    },
  };
}
