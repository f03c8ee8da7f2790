// A long list of rows of one height, of which only those in sight are in the document.
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

interface WindowedListProps {
  /** `tree` or `listbox`: one of its rows is active, and the focus stays on the list. */
  readonly role: 'tree' | 'listbox';
  readonly label: string;
  readonly className?: string;
  readonly count: number;
  /** In pixels. */
  readonly rowHeight: number;
  /** The row that is scrolled into sight when it changes; -1: none. */
  readonly active: number;
  readonly activeId: string | undefined;
  /** Whether the end stays in sight while rows are added, unless a person has scrolled away from it. */
  readonly followsEnd?: boolean;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Over the rows; it scrolls with them sideways only. */
  readonly head?: ReactNode;
  /** The width of the rows if they may be wider than the list, in pixels. */
  readonly minWidth?: number;
  readonly row: (index: number) => ReactNode;
}

/** Rows above and below those in sight. */
const overscan = 6;

/** Shows the rows in sight. Each row is one element as high as `rowHeight`. */
export function WindowedList(props: WindowedListProps) {
  const { role, label, className = '', count, rowHeight, active, activeId, head, minWidth, row } = props;
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = useHeight(list);
  useActiveInSight(list, active, rowHeight);
  const follow = useFollowedEnd(list, props.followsEnd ?? false, count);
  const from = Math.max(0, Math.min(count, Math.floor(top / rowHeight) - overscan));
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + overscan);
  const onScroll = () => {
    setTop(list.current?.scrollTop ?? 0);
    follow();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its role is that of a tree or of a listbox
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both have them
    <div
      ref={list}
      role={role}
      aria-label={label}
      aria-activedescendant={activeId}
      className={`windowed ${className}`}
      tabIndex={0}
      onKeyDown={props.onKeyDown}
      onScroll={onScroll}
    >
      {head}
      <div role="presentation" className="windowed-rows" style={{ height: count * rowHeight, minWidth }}>
        <div role="presentation" className="windowed-slice" style={{ top: from * rowHeight }}>
          {Array.from({ length: Math.max(0, to - from) }, (_, i) => row(from + i))}
        </div>
      </div>
    </div>
  );
}

type ListRef = React.RefObject<HTMLDivElement | null>;

function useHeight(list: ListRef): number {
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [list]);
  return height;
}

function useActiveInSight(list: ListRef, active: number, rowHeight: number): void {
  useEffect(() => {
    const element = list.current;
    if (!element || active < 0) return;
    const top = active * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  }, [list, active, rowHeight]);
}

/** Returns a function to call after each scroll: whoever scrolls away from the end is left there. */
function useFollowedEnd(list: ListRef, followsEnd: boolean, count: number): () => void {
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another count moves the end
  useLayoutEffect(() => {
    const element = list.current;
    if (element && followsEnd && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [list, followsEnd, count]);
  return () => {
    const element = list.current;
    if (element) isAtEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 40;
  };
}
