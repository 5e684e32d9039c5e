import Type, { type Static } from 'typebox';
export declare const modes: readonly ['conversation', 'presenter'];
export declare const speechInputModes: readonly ['auto', 'manual', 'off'];
/** By the door that minted it. */
export declare const sources: readonly ['server', 'browser', 'public'];
export declare const statuses: readonly ['created', 'active', 'ended', 'expired'];
/** Why a session ended. */
export declare const endReasons: readonly ['api_request', 'client_ended', 'client_left', 'client_lost', 'idle_timeout', 'max_duration', 'runtime_error', 'runtime_lost', 'server_shutdown'];
export type Mode = (typeof modes)[number];
export type SpeechInputMode = (typeof speechInputModes)[number];
export type Source = (typeof sources)[number];
export type Status = (typeof statuses)[number];
export type EndReason = (typeof endReasons)[number];
export declare const sessionId: Type.TString;
export declare const mode: Type.TEnum<["conversation", "presenter"]>;
export declare const speechInputMode: Type.TEnum<["auto", "manual", "off"]>;
export declare const speechOnly: Type.TBoolean;
export declare const locale: Type.TString;
export declare const secondaryLocale: Type.TString;
export declare const livemode: Type.TBoolean;
export declare const revision: Type.TInteger;
export declare const userId: Type.TString;
export declare const processorId: Type.TString;
export declare const metadata: Type.TUnsafe<Record<string, string>>;
/** What a session shows to its owner: safe to log, without any credential. */
export declare const sessionSchema: Type.TObject<{
    sessionId: Type.TString;
    projectId: Type.TString;
    experienceId: Type.TString;
    revision: Type.TInteger;
    status: Type.TEnum<["created", "active", "ended", "expired"]>;
    livemode: Type.TBoolean;
    source: Type.TEnum<["server", "browser", "public"]>;
    origin: Type.TOptional<Type.TString>;
    userId: Type.TOptional<Type.TString>;
    processorId: Type.TOptional<Type.TString>;
    metadata: Type.TOptional<Type.TUnsafe<Record<string, string>>>;
    mode: Type.TEnum<["conversation", "presenter"]>;
    speechInputMode: Type.TEnum<["auto", "manual", "off"]>;
    speechOnly: Type.TBoolean;
    locale: Type.TString;
    secondaryLocale: Type.TOptional<Type.TString>;
    createdAt: Type.TString;
    expiresAt: Type.TString;
    startedAt: Type.TOptional<Type.TString>;
    endedAt: Type.TOptional<Type.TString>;
    endReason: Type.TOptional<Type.TEnum<["api_request", "client_ended", "client_left", "client_lost", "idle_timeout", "max_duration", "runtime_error", "runtime_lost", "server_shutdown"]>>;
    usage: Type.TObject<{
        seconds: Type.TInteger;
    }>;
}>;
export type SessionRecord = Static<typeof sessionSchema>;
