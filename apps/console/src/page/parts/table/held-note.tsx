import { countOf } from '../../model/amounts.ts';

/** Always takes its place, so that nothing shifts when it has something to say. */
export function HeldNote({ changes, onRelease }: { readonly changes: number; readonly onRelease: () => void }) {
  return (
    <span className="held-note">
      {changes > 0 && (
        <button type="button" className="quiet-button" onClick={onRelease}>
          {countOf(changes, 'change')}, press r
        </button>
      )}
    </span>
  );
}
