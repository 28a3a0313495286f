import { useFreshness, useLive } from '../live/use-live.ts';
import { Since } from './time-ago.tsx';

/** Before the first word from the server: the shape of what will come, and who is awaited. */
function WaitingForServer() {
  const { sentence } = useFreshness();
  return (
    <div className="waiting" aria-busy="true">
      <p>{sentence ?? 'Waiting for the first answer of Quartermaster …'}</p>
      <div className="ghost" />
      <div className="ghost" />
      <div className="ghost" />
    </div>
  );
}

/** The server answers, but it has not read the cluster: unknown is not empty. */
function WaitingForCluster() {
  const { overview } = useLive();
  const slow = overview?.parts.find(({ state }) => state !== 'ready');
  return (
    <div className="waiting" aria-busy="true">
      <p>
        The cluster has not been read yet: nothing is known about it, which does not mean that it is empty.{' '}
        {slow !== undefined && (
          <>
            {slow.name} has been {slow.state} for <Since at={slow.since} />
            {slow.reason === undefined ? '.' : `: ${slow.reason}`}
          </>
        )}
      </p>
      <div className="ghost" />
      <div className="ghost" />
      <div className="ghost" />
    </div>
  );
}

/** Whoever is awaited: the server's first word, or the server's own first look at the cluster. */
export function Waiting() {
  const { overview } = useLive();
  return overview === undefined ? <WaitingForServer /> : <WaitingForCluster />;
}
