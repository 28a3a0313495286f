import { useFreshness, useLive } from '../live/use-live.ts';

/** Says in words that what is shown is not confirmed any more, and why. */
export function StaleNotice() {
  const { overview } = useLive();
  const { kind, sentence } = useFreshness();
  return (
    <div role="status" className="stale-slot">
      {kind === 'stale' && overview !== undefined && <p className="stale-notice">{sentence}</p>}
    </div>
  );
}
