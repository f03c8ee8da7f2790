// Makes a press count where it began: the browser clicks only what the pointer went down on and up on, and while an answer streams a button may
// have moved on between the two, so that a Stop would do nothing.
import { pageClock } from './page-state/page-clock.ts';

/** How far the pointer itself may move in a press, in pixels. */
const slackPx = 10;
/** How long after the pointer went up the browser's own click may come, in ms: that of a touch is recognized later. */
const clickMs = { mouse: 0, pen: 0, touch: 300 } as Readonly<Record<string, number>>;

interface Press {
  readonly button: HTMLElement;
  readonly down: PointerEvent;
}

/** Clicks each button of the document that was pressed and that the browser did not click. */
export function keepPresses(root: Document): void {
  let current: Press | null = null;
  const endPress = () => {
    current = null;
  };
  root.addEventListener(
    'pointerdown',
    (down) => {
      const button = down.target instanceof Element ? down.target.closest<HTMLElement>('button, a, summary') : null;
      current = button && down.button === 0 && down.isPrimary ? { button, down } : null;
    },
    true,
  );
  root.addEventListener('pointercancel', endPress, true);
  root.addEventListener(
    'click',
    ({ target }) => {
      // where the button has moved, the browser clicks what it and the element below the pointer have around them
      if (target instanceof Node && current?.button.contains(target)) endPress();
    },
    true,
  );
  root.addEventListener(
    'pointerup',
    (up) => {
      const press = current;
      if (press?.down.pointerId !== up.pointerId) return;
      const { clientX, clientY } = press.down;
      if (Math.hypot(up.clientX - clientX, up.clientY - clientY) > slackPx) return endPress();
      pageClock.after(clickMs[up.pointerType] ?? 0, () => {
        if (current !== press) return;
        endPress();
        press.button.click();
      });
    },
    true,
  );
}
