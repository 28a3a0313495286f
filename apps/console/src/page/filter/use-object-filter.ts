import { useMemo } from 'react';
import { type ApiField, fieldsOf, type KnownValues, type SchemaDocument } from '../../api-field.ts';
import { objectFilter } from '../../filter/object-filter.ts';
import { isExpression } from '../../filter/terms.ts';
import { useAnswer } from '../api/use-object.ts';

const noFields: readonly ApiField[] = [];

/** The fields of what is filtered, as the API calls it; none until they have been asked for and are there. */
export function useFilterFields(message: string, isWanted: boolean): readonly ApiField[] {
  const path = message.startsWith('quartermaster.market.') ? '/api/market/v1/openapi.json' : '/openapi.json';
  const { data } = useAnswer<SchemaDocument>(['openapi', path], path, {}, { isWanted });
  return useMemo(() => (data === undefined ? noFields : fieldsOf(data, message)), [data, message]);
}

/** What to ask of the API for a filter that somebody typed; undefined while that is not known: plain terms need the fields. */
export function useObjectFilter(message: string, query: string, known: KnownValues): string | undefined {
  const isPlain = query.trim() !== '' && !isExpression(query);
  const fields = useFilterFields(message, isPlain);
  return isPlain && fields.length === 0 ? undefined : objectFilter(query, fields, known);
}
