import type { ReactNode } from 'react';
import type { ApiObject } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { TimeAgo } from '../parts/time-ago.tsx';
import { CopyId } from './copy-id.tsx';

interface ObjectFactsProps {
  readonly object: ApiObject;
  /** What this kind has beside: name -> what it is. */
  readonly facts?: readonly (readonly [string, ReactNode])[] | undefined;
}

/** What every object has, and what its kind has beside. */
export function ObjectFacts({ object: { id, metadata }, facts = [] }: ObjectFactsProps) {
  const createdAt = momentOf(metadata.creation_timestamp);
  const deletedAt = momentOf(metadata.deletion_timestamp);
  const creators = metadata.creators ?? [];
  return (
    <dl className="facts-list">
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
      <Fact name="Id">
        <CopyId id={id} />
      </Fact>
      <Fact name="Belongs to">{metadata.tenants.length === 0 ? 'nobody' : metadata.tenants.join(', ')}</Fact>
      {createdAt !== undefined && (
        <Fact name="Made">
          <TimeAgo at={createdAt} />
          {creators.length > 0 && ` by ${creators.join(', ')}`}
        </Fact>
      )}
      {deletedAt !== undefined && (
        <Fact name="Deleted">
          <TimeAgo at={deletedAt} />
          {(metadata.finalizers?.length ?? 0) > 0 && `, waits for ${metadata.finalizers?.join(', ') ?? ''}`}
        </Fact>
      )}
      <Fact name="Version">{metadata.version}</Fact>
      {Object.entries({ ...metadata.labels, ...metadata.annotations }).map(([key, value]) => (
        <Fact key={key} name={key}>
          <span className="mono">{value === '' ? 'set, without a value' : value}</span>
        </Fact>
      ))}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
