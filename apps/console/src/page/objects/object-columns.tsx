import type { Tone } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { type ObjectKind, objectHref } from '../api/object-kind.ts';
import { shortId } from '../model/short-id.ts';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import type { GridColumn } from '../parts/table/grid.tsx';

export interface ObjectColumn<T> extends GridColumn<T> {
  /** What the API orders by: `metadata.name`. Default: this column cannot be ordered by, and its heading is plain. */
  readonly orderBy?: string | undefined;
}

/** Every table of objects begins with it. */
export const nameColumn = (kind: ObjectKind): ObjectColumn<ApiObject> => ({
  name: 'name',
  heading: 'Name',
  orderBy: 'metadata.name',
  titleOf: ({ id, metadata }) => `${metadata.name} ${id}`.trim(),
  show: (object) => (
    <Link href={objectHref(kind, object.id)} tabIndex={-1}>
      {object.metadata.name === '' ? shortId(object.id) : nameOf(object)}
    </Link>
  ),
});

export const titleColumn: ObjectColumn<{ readonly title: string }> = {
  name: 'title',
  heading: 'Title',
  orderBy: 'title',
  titleOf: ({ title }) => title,
  show: ({ title }) => title,
};

export const tenantsColumn: ObjectColumn<ApiObject> = {
  name: 'tenants',
  heading: 'Belongs to',
  titleOf: ({ metadata }) => metadata.tenants.join(', '),
  show: ({ metadata }) => metadata.tenants.join(', '),
};

export const stateColumn = <T,>(stateOf: (object: T) => { readonly tone: Tone; readonly word: string }): ObjectColumn<T> => ({
  name: 'state',
  heading: 'State',
  orderBy: 'status.state',
  show: (object) => {
    const { tone, word } = stateOf(object);
    return (
      <Changing value={word}>
        <StateWord tone={tone} word={word} />
      </Changing>
    );
  },
});

interface NamedObjectProps {
  readonly id: string | undefined;
  // id -> name
  readonly names: ReadonlyMap<string, string>;
  readonly hrefOf: (id: string) => string;
  /** Where there is none. */
  readonly none?: string | undefined;
}

/** Another object that one names, as a link in a table. */
export function NamedObject({ id = '', names, hrefOf, none = '–' }: NamedObjectProps) {
  if (id === '') return <span className="dim">{none}</span>;
  return (
    <Link href={hrefOf(id)} tabIndex={-1} title={id}>
      {names.get(id) ?? shortId(id)}
    </Link>
  );
}
