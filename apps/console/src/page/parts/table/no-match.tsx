import type { ReactNode } from 'react';

interface NoMatchProps {
  /** What there would be without the filter: `nodes`. */
  readonly plural: string;
  readonly onClear: () => void;
  readonly children: ReactNode;
}

/** A filter that leaves nothing, and the way out. */
export function NoMatch({ plural, onClear, children }: NoMatchProps) {
  return (
    <div className="empty">
      <p>{children}</p>
      <button type="button" className="quiet-button" onClick={onClear}>
        Show all {plural}
      </button>
    </div>
  );
}
