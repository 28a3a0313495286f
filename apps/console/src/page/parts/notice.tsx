import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';

/** Says in a sentence that something was done. */
export type Notify = (sentence: string) => void;

const NotifyContext = createContext<Notify>(() => {});

export const useNotify = (): Notify => useContext(NotifyContext);

/** Long enough to be read twice. */
const shownMs = 8_000;

/** Shows what was done last for a while, wherever somebody goes meanwhile, and reads it out. */
export function NoticeProvider({ children }: { readonly children: ReactNode }) {
  const [notice, setNotice] = useState<{ readonly sentence: string }>();
  const notify = useCallback((sentence: string) => setNotice({ sentence }), []);
  useEffect(() => {
    if (notice === undefined) return;
    const timer = window.setTimeout(() => setNotice(undefined), shownMs);
    return () => window.clearTimeout(timer);
  }, [notice]);
  return (
    <NotifyContext value={notify}>
      {children}
      <div className="notice-slot" aria-live="polite">
        {notice !== undefined && (
          <p className="notice">
            {notice.sentence}{' '}
            <button type="button" className="link-button" onClick={() => setNotice(undefined)}>
              Dismiss
            </button>
          </p>
        )}
      </div>
    </NotifyContext>
  );
}
