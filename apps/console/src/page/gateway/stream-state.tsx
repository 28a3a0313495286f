import { useNow } from '../live/use-live.ts';
import { streamWords } from './stream-words.ts';
import type { FollowedStream } from './use-followed-stream.ts';

/** How a stream is, in words, and a way to try again where nothing else does. Times are of the browser's own clock, which noted them. */
export function StreamState({ stream }: { readonly stream: FollowedStream }) {
  useNow();
  const { text, isOver } = streamWords(stream, Date.now());
  return (
    <span className="stream-state" role="status">
      {text}
      {(isOver || stream.state.kind === 'reconnecting') && (
        <>
          {' '}
          <button type="button" className="link-button" onClick={stream.again}>
            {stream.isFollowed ? 'Try now' : 'Read again'}
          </button>
        </>
      )}
    </span>
  );
}
