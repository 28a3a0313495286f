import { type ReactNode, useEffect, useRef } from 'react';

interface ChangingProps {
  /** What is compared: a new value gets a short highlight. */
  readonly value: string | number;
  readonly children: ReactNode;
}

/** A value that changes in place. Appearing is no change: rows that scroll into view stay calm. */
export function Changing({ value, children }: ChangingProps) {
  const element = useRef<HTMLSpanElement>(null);
  const shown = useRef(value);
  useEffect(() => {
    if (shown.current === value) return;
    shown.current = value;
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    element.current?.animate([{ backgroundColor: 'var(--highlight)' }, { backgroundColor: 'transparent' }], { duration: 1200 });
  }, [value]);
  return (
    <span ref={element} className="changing">
      {children}
    </span>
  );
}
