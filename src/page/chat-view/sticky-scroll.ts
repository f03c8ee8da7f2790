// A scrolling box that stays at its end while its content grows, unless its reader has scrolled back.
//
// 1. It looks at the content when the browser has laid it out (ResizeObserver): no change of the content makes it lay out anything by itself.
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';

/** How near the end counts as the end, in pixels. */
const nearPx = 48;

export interface StickyScroll {
  readonly box: RefObject<HTMLDivElement | null>;
  /** What the box scrolls. */
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
}

/** Returns what the box and its content need. */
export function useStickyScroll(): StickyScroll {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const top = useRef(0);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const onScroll = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < nearPx;
    // only a way back up leaves the end: content may have grown since the box was moved to it
    if (isNear || element.scrollTop < top.current) sticks.current = isNear;
    top.current = element.scrollTop;
    setIsAtEnd(sticks.current);
  }, []);
  const toEnd = useCallback(() => {
    const element = box.current;
    if (!element) return;
    sticks.current = true;
    element.scrollTop = element.scrollHeight;
    top.current = element.scrollTop;
    setIsAtEnd(true);
  }, []);
  useLayoutEffect(() => {
    const parts = [box.current, content.current].filter((part) => part !== null);
    const observer = new ResizeObserver(() => (sticks.current ? toEnd() : onScroll()));
    for (const part of parts) observer.observe(part);
    return () => observer.disconnect();
  }, [onScroll, toEnd]);
  return { box, content, isAtEnd, onScroll, toEnd };
}
