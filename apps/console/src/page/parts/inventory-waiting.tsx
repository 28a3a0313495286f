import { useLive } from '../live/use-live.ts';
import { Waiting } from './waiting.tsx';

/** Until the inventory has been read once. Before the server has answered at all, nothing is said about it. */
export function InventoryWaiting({ isAnswered }: { readonly isAnswered: boolean }) {
  const { overview } = useLive();
  if (overview?.cluster === undefined) return <Waiting />;
  return (
    <div className="waiting" aria-busy="true">
      <p>
        {isAnswered
          ? 'The inventory has not been read yet: nothing is known of what can be sold, which does not mean that there is nothing. It appears here as soon as the inventory operator has read nodes, pods, hardware and storage.'
          : 'Asking the inventory …'}
      </p>
      <div className="ghost" />
      <div className="ghost" />
      <div className="ghost" />
    </div>
  );
}
