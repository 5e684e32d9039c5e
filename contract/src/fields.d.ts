import { type TObject, type TString } from 'typebox';
/** ISO 8601 in UTC, always with milliseconds. */
export declare const timestamp: (description: string) => TString;
/** An object whose fields belong to somebody else: a runtime, or the caller's own application. */
export declare const freeForm: (description: string) => TObject;
