import { usePageTruth } from './truth.ts';

/** Says in words that what is shown is not confirmed any more, and why. */
export function StaleNotice() {
  const { kind, sentence, isKnown } = usePageTruth();
  return (
    <div role="status" className="stale-slot">
      {kind === 'stale' && isKnown && sentence !== undefined && <p className="stale-notice">{sentence}</p>}
    </div>
  );
}
