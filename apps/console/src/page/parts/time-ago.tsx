import { useNow } from '../live/use-live.ts';
import { formatAgo, formatDuration, formatMoments } from '../model/relative-time.ts';

/** `4 min ago`, the moment itself on hover, here and in UTC. */
export function TimeAgo({ at }: { readonly at: number }) {
  return <time title={formatMoments(at)}>{formatAgo(at, useNow())}</time>;
}

/** `4 min`: how long something has been so. */
export function Since({ at }: { readonly at: number }) {
  return <time title={`since ${formatMoments(at)}`}>{formatDuration(useNow() - at)}</time>;
}

/** ` for 4 min`, with the space before it; nothing where it is not known since when. */
export function ForHowLong({ since }: { readonly since: number | undefined }) {
  if (since === undefined) return null;
  return (
    <>
      {' for '}
      <Since at={since} />
    </>
  );
}
