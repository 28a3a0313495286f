import type { ReactNode } from 'react';

interface PlainTableProps {
  readonly caption?: string | undefined;
  readonly headings: readonly string[];
  /** Those of them whose columns hold numbers. */
  readonly numbers?: readonly string[] | undefined;
  /** A further class in the style sheet. */
  readonly layout?: string | undefined;
  readonly children: ReactNode;
}

/** A short table of which all rows are drawn. */
export function PlainTable({ caption, headings, numbers = [], layout = '', children }: PlainTableProps) {
  return (
    <table className={`plain-table ${layout}`}>
      {caption !== undefined && <caption>{caption}</caption>}
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col" className={numbers.includes(heading) ? 'number' : undefined}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
