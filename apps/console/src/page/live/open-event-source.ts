import type { StreamMessage } from '@quartermaster/api/inventory-views';
import { streamKinds, streamPath } from '../../topics/stream-message.ts';
import type { OpenStream } from './live-store.ts';

/** The server's stream through the browser's EventSource. Its own reconnecting is not used: it neither backs off nor tells. */
export const openEventSource: OpenStream = (addresses, { message, failed }) => {
  const source = new EventSource(`${streamPath}?${new URLSearchParams(addresses.map((address) => ['topic', address]))}`);
  const take = (event: MessageEvent<string>): void => {
    message(JSON.parse(event.data) as StreamMessage);
  };
  for (const kind of streamKinds) source.addEventListener(kind, take);
  source.addEventListener('error', () => {
    source.close();
    failed();
  });
  return () => source.close();
};
