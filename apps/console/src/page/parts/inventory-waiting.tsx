import { useLive } from '../live/use-live.ts';
import { Waiting } from './waiting.tsx';

/** Until the inventory has been read once. A console without an inventory operator says so instead. */
export function InventoryWaiting() {
  const { overview } = useLive();
  if (overview?.cluster === undefined) return <Waiting />;
  return (
    <div className="waiting" aria-busy="true">
      <p>
        The inventory has not been read yet: nothing is known of what can be sold, which does not mean that there is nothing. It appears
        here as soon as the inventory operator has read nodes, pods, hardware and storage.
      </p>
      <div className="ghost" />
      <div className="ghost" />
      <div className="ghost" />
    </div>
  );
}
