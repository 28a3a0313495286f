import type { ApiObject } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { CopyId } from '../parts/copy.tsx';
import { type FactList, Facts } from '../parts/facts.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

/** What every object has, and what its kind has beside. */
export function ObjectFacts({ object: { id, metadata }, facts }: { readonly object: ApiObject; readonly facts: FactList }) {
  const createdAt = momentOf(metadata.creation_timestamp);
  const deletedAt = momentOf(metadata.deletion_timestamp);
  const { tenants, version, creators = [], finalizers = [], labels, annotations } = metadata;
  const own: FactList = [
    ['Id', <CopyId key="id" id={id} />],
    ['Belongs to', tenants.length === 0 ? 'nobody' : tenants.join(', ')],
    [
      'Created',
      createdAt !== undefined && (
        <>
          <TimeAgo at={createdAt} />
          {creators.length > 0 && ` by ${creators.join(', ')}`}
        </>
      ),
    ],
    [
      'Deleted',
      deletedAt !== undefined && (
        <>
          <TimeAgo at={deletedAt} />
          {finalizers.length > 0 && `, waiting for ${finalizers.join(', ')}`}
        </>
      ),
    ],
    ['Version', version],
  ];
  const marks = Object.entries({ ...labels, ...annotations }).map(
    ([key, value]) =>
      [
        key,
        <span key={key} className="mono">
          {value === '' ? '(empty)' : value}
        </span>,
      ] as const,
  );
  return <Facts facts={[...facts, ...own, ...marks]} />;
}
