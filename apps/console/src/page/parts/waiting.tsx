import type { ReactNode } from 'react';
import { useFreshness, useLive } from '../live/use-live.ts';
import { partsOf, useInstallation } from '../upstreams/use-installation.ts';
import { Since } from './time-ago.tsx';

/** The shape of what will come, and what it waits for. */
export function Ghosts({ children }: { readonly children: ReactNode }) {
  return (
    <div className="waiting" aria-busy="true">
      <p>{children}</p>
      <div className="ghost" />
      <div className="ghost" />
      <div className="ghost" />
    </div>
  );
}

/** Until the server has said its first word, or has read the cluster itself: unknown is not empty. */
export function Waiting() {
  const { heardAt } = useLive();
  const { sentence } = useFreshness();
  const slow = partsOf(useInstallation()).find(({ state }) => state !== 'ready');
  if (heardAt === undefined) return <Ghosts>{sentence ?? 'Waiting for the first response from Quartermaster …'}</Ghosts>;
  return (
    <Ghosts>
      The cluster has not been read yet, so its contents are unknown.{' '}
      {slow !== undefined && (
        <>
          {slow.name} has been {slow.state}
          {slow.since !== undefined && (
            <>
              {' '}
              for <Since at={slow.since} />
            </>
          )}
          {slow.reason === undefined ? '.' : `: ${slow.reason}`}
        </>
      )}
    </Ghosts>
  );
}

/** Until the inventory has been read once. Before the server has answered at all, nothing is said about it. */
export function InventoryWaiting({ isAnswered }: { readonly isAnswered: boolean }) {
  const { heardAt } = useLive();
  return isAnswered || heardAt === undefined ? <Waiting /> : <Ghosts>Loading the inventory …</Ghosts>;
}
