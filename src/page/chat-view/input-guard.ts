// Keeps a question from taking input that was not meant for it: what was typed or pressed before it was shown, or within 500 ms after.
import { useEffect, useRef, useState } from 'react';
import { guardMs } from '../../client/view/question-guard.ts';
import { pageClock } from '../page-state/page-clock.ts';

/** The fields of a pointer or key event that are read, and `type`, which both have: without it the compiler rejects a pointer event. */
interface PressEvent {
  readonly type: string;
  readonly repeat?: boolean;
  readonly key?: string;
}

export interface InputGuard {
  /** Whether the question takes input. */
  readonly isArmed: boolean;
  /** For the element around the buttons: notes where a press begins. */
  readonly onPressStart: (event: PressEvent) => void;
  /** For the same element: notes that a press has ended, whether it was a click or not. */
  readonly onPressEnd: () => void;
  /** Whether the click that is being handled began after the question was armed. */
  readonly accepts: () => boolean;
}

/** `none`: a click now comes from assistive technology, which presses nothing. `early`: the current press began before the question was armed. */
type Press = 'none' | 'good' | 'early';

/** The keys that press a button: Enter again and again while it is held, Space when it is released. */
const pressingKeys = ['Enter', ' '];

/** Returns the guard of a question that is shown now. Its time starts again when a hidden page is shown: until then nobody could see the question. */
export function useInputGuard(): InputGuard {
  const [isArmed, setIsArmed] = useState(false);
  const press = useRef<Press>('none');
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
    onPressStart: ({ repeat = false, key }) => {
      if (key !== undefined && !pressingKeys.includes(key)) return;
      if (!isArmed || (repeat && press.current !== 'good')) press.current = 'early';
      else press.current = 'good';
    },
    // the click of a press comes after its end
    onPressEnd: () =>
      void pageClock.after(0, () => {
        press.current = 'none';
      }),
    accepts: () => isArmed && press.current !== 'early',
  };
}
