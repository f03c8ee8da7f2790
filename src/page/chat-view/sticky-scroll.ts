// Keeps a conversation at its end while it grows, unless its reader has scrolled back.
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** How near the end counts as the end, in pixels. */
const nearPx = 48;

export interface StickyScroll {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  readonly onScroll: () => void;
  /** For the capture of `load`: a picture has its height only when it is here. */
  readonly onLoad: () => void;
  readonly toEnd: () => void;
}

/** Returns what a scrolling box needs to stay at its end. `content`: of which one is another value each time that it may have grown. */
export function useStickyScroll(content: readonly unknown[]): StickyScroll {
  const box = useRef<HTMLDivElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const onScroll = () => {
    const element = box.current;
    if (element) setIsAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < nearPx);
  };
  const toEnd = () => {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: new content moves it
  useLayoutEffect(() => {
    if (isAtEnd) toEnd();
    else onScroll(); // content that has shrunk may end in sight
  }, [...content, isAtEnd]);
  const onLoad = () => {
    if (isAtEnd) toEnd();
  };
  return { box, isAtEnd, onScroll, onLoad, toEnd };
}
