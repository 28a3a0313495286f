import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef, useState } from 'react';
import type { GridOrder } from '../../model/grid-order.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

export interface GridColumn<Row, Name extends string = string> {
  readonly name: Name;
  readonly heading: string;
  readonly isNumber?: boolean | undefined;
  /** Its heading is a plain word although others can be ordered by. */
  readonly isUnordered?: boolean | undefined;
  /** On hover: the exact amount, or what does not fit. */
  readonly titleOf?: ((row: Row) => string) | undefined;
  readonly show: (row: Row) => ReactNode;
}

/** As much of an array as a table needs: rows of a long list may not be here yet. */
export interface GridRows<Row> {
  readonly length: number;
  at(index: number): Row | undefined;
}

interface GridProps<Row, Name extends string> {
  readonly label: string;
  /** Names the widths in the style sheet: `node` -> .node-columns. */
  readonly layout: string;
  readonly columns: readonly GridColumn<Row, Name>[];
  readonly rows: GridRows<Row>;
  readonly keyOf: (row: Row) => string;
  /** Opens the row that Enter was pressed on. */
  readonly onOpen?: ((row: Row) => void) | undefined;
  /** How the rows are sorted, and the wish for another order. Without them the headings are plain words. */
  readonly order?: GridOrder<Name> | undefined;
  readonly onOrder?: ((order: GridOrder<Name>) => void) | undefined;
  /** Called with the rows that are drawn, one past the last, after every move. */
  readonly onShow?: ((first: number, end: number) => void) | undefined;
  /** Another scope begins at the top: another page, another order. */
  readonly scope: string;
}

/** A table of which only the visible rows exist. Arrows move a row at a time, Home and End to either end, Enter opens. */
export function Grid<Row, Name extends string>(props: GridProps<Row, Name>) {
  const { label, layout, columns, rows, keyOf, onOpen, order, onOrder, onShow, scope } = props;
  const [chosen, setChosen] = useState<ChosenRow>();
  const scroller = useRef<HTMLDivElement>(null);
  const { range, rowHeight, showRow } = useVirtualRows(scroller, rows.length);
  const active = chosen === undefined ? 0 : placeOf(chosen, rows, keyOf);

  const move = (target: number): void => {
    const index = Math.min(Math.max(target, 0), rows.length - 1);
    if (index < 0) return;
    const row = rows.at(index);
    setChosen({ index, key: row === undefined ? undefined : keyOf(row) });
    showRow(index);
  };
  const press = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.length - 1,
    };
    const target = steps[event.key];
    const row = rows.at(active);
    const isInHeading = event.target instanceof HTMLButtonElement;
    if (target !== undefined) move(chosen === undefined && event.key === 'ArrowDown' ? 0 : target);
    else if (event.key === 'Enter' && !isInHeading && row !== undefined && onOpen !== undefined) onOpen(row);
    else return;
    event.preventDefault();
  };

  useEffect(() => {
    if (scope !== '') scroller.current?.scrollTo({ top: 0 });
  }, [scope]);

  const { first, end } = range;
  useEffect(() => onShow?.(first, end), [onShow, first, end]);

  return (
    <div
      ref={scroller}
      className="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={chosen === undefined ? undefined : `${layout}-row-${active}`}
      tabIndex={0}
      onKeyDown={press}
    >
      <div role="row" aria-rowindex={1} className={`grid-row grid-head ${layout}-columns`}>
        {columns.map((column) => (
          <Heading key={column.name} column={column} order={order} onOrder={onOrder} />
        ))}
      </div>
      <div role="presentation" className="grid-body" style={{ height: rows.length * rowHeight }}>
        {indexesOf(first, end).map((index) => {
          const row = rows.at(index);
          const place = { layout, index, top: index * rowHeight, isActive: chosen !== undefined && index === active };
          return row === undefined ? (
            <AbsentRow key={`at ${index}`} {...place} columns={columns} />
          ) : (
            <GridRow key={keyOf(row)} {...place} row={row} rowKey={keyOf(row)} columns={columns} onChoose={setChosen} />
          );
        })}
      </div>
    </div>
  );
}

interface ChosenRow {
  readonly index: number;
  /** Undefined where the row was not there yet. */
  readonly key: string | undefined;
}

/** Where the chosen row is now: it may have moved since. One that is gone leaves its place to the next. */
function placeOf<Row>({ index, key }: ChosenRow, rows: GridRows<Row>, keyOf: (row: Row) => string): number {
  const isAt = (place: number): boolean => {
    const row = rows.at(place);
    return row !== undefined && keyOf(row) === key;
  };
  if (key === undefined || isAt(index)) return index;
  for (let place = 0; place < rows.length; place += 1) if (isAt(place)) return place;
  return Math.max(0, Math.min(index, rows.length - 1));
}

const indexesOf = (first: number, end: number): number[] => Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);

interface HeadingProps<Row, Name extends string> {
  readonly column: GridColumn<Row, Name>;
  readonly order: GridOrder<Name> | undefined;
  readonly onOrder: ((order: GridOrder<Name>) => void) | undefined;
}

function Heading<Row, Name extends string>({
  column: { name, heading, isNumber = false, isUnordered = false },
  order,
  onOrder,
}: HeadingProps<Row, Name>) {
  const isSorted = order?.column === name;
  const isDescending = order?.isDescending === true;
  const direction = isDescending ? 'descending' : 'ascending';
  return (
    <div role="columnheader" aria-sort={isSorted ? direction : 'none'} className={`cell cell-${name}${isNumber ? ' number' : ''}`}>
      {onOrder === undefined || isUnordered ? (
        heading
      ) : (
        <button type="button" onClick={() => onOrder({ column: name, isDescending: isSorted && !isDescending })}>
          {heading}
          {isSorted && <span aria-hidden="true">{isDescending ? ' ↓' : ' ↑'}</span>}
        </button>
      )}
    </div>
  );
}

interface RowPlace {
  readonly layout: string;
  readonly index: number;
  readonly top: number;
  readonly isActive: boolean;
}

const rowProps = ({ layout, index, top, isActive }: RowPlace) => ({
  role: 'row',
  id: `${layout}-row-${index}`,
  'aria-rowindex': index + 2,
  'aria-selected': isActive,
  className: `grid-row ${layout}-columns${index % 2 === 0 ? '' : ' odd'}`,
  style: { transform: `translateY(${top}px)` },
});

/** The place of a row that is being read. */
function AbsentRow<Row>({ columns, ...place }: RowPlace & { readonly columns: readonly GridColumn<Row>[] }) {
  return (
    <div {...rowProps(place)} aria-busy="true">
      {columns.map(({ name }, index) => (
        <div key={name} role="gridcell" className={`cell cell-${name}`}>
          {index === 0 && <span className="dim">…</span>}
        </div>
      ))}
    </div>
  );
}

interface GridRowProps<Row> extends RowPlace {
  readonly row: Row;
  readonly rowKey: string;
  readonly columns: readonly GridColumn<Row>[];
  readonly onChoose: (row: ChosenRow) => void;
}

/** Drawn again only when the row itself is another object, or moved. */
const GridRow = memo(function GridRow<Row>({ row, rowKey, columns, onChoose, ...place }: GridRowProps<Row>) {
  return (
    <div {...rowProps(place)} onMouseDown={() => onChoose({ index: place.index, key: rowKey })}>
      {columns.map(({ name, isNumber = false, titleOf, show }) => (
        <div key={name} role="gridcell" className={`cell cell-${name}${isNumber ? ' number' : ''}`} title={titleOf?.(row)}>
          {show(row)}
        </div>
      ))}
    </div>
  );
}) as <Row>(props: GridRowProps<Row>) => ReactNode;
