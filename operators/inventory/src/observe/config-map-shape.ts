import { mapOf, object, optional, type Shape, text } from './shape.ts';

/** The texts of a ConfigMap. */
export const textsShape: Shape<{ readonly data?: Readonly<Record<string, string>> | undefined }> = object({ data: optional(mapOf(text)) });
