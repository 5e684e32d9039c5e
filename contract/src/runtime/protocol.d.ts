import Type, { type Static } from 'typebox';
/** The WebSocket subprotocol between a client and a runtime. */
export declare const subprotocol = "session.v1";
export declare const protocolVersion = 1;
/** Shapes of a mouth, by the names that renderers of the field use. */
export declare const visemes: readonly ['sil', 'PP', 'FF', 'TH', 'DD', 'kk', 'CH', 'SS', 'nn', 'RR', 'aa', 'E', 'I', 'O', 'U'];
export type Viseme = (typeof visemes)[number];
export declare const closeCodes: {
    readonly ended: 1000;
    readonly draining: 1001;
    readonly tooBig: 1009;
    readonly fault: 1011;
    readonly full: 1013;
    readonly notTheProtocol: 4400;
    readonly tokenInvalid: 4401;
    readonly originDiffers: 4403;
    readonly noHello: 4408;
    readonly tokenUsed: 4409;
    readonly sessionEnded: 4410;
    readonly tooFast: 4429;
    readonly tooManySessions: 4431;
    readonly idle: 4440;
    readonly maxDuration: 4441;
    readonly endedByApi: 4442;
};
/** A binary frame, little endian: this header, then PCM16 mono. */
export declare const audioFrame: {
    readonly headerBytes: 8;
    /** u8: who is heard. */
    readonly kindAt: 0;
    readonly kinds: {
        readonly character: 1;
        readonly user: 2;
    };
    /** u8: bits. */
    readonly flagsAt: 1;
    readonly flags: {
        readonly last: 1;
    };
    /** u16 */
    readonly utteranceAt: 2;
    /** u32, in samples from the first of the utterance. */
    readonly offsetAt: 4;
    /** What one frame holds; the last of an utterance may be shorter. */
    readonly milliseconds: 40;
    readonly inputSampleRate: 16000;
};
export declare const bounds: {
    readonly frameBytes: number;
    readonly helloBytes: number;
    readonly helloSeconds: 5;
    readonly framesPerSecond: 100;
    readonly textsPerTenSeconds: 10;
    readonly textCharacters: 4000;
    /** Audio that may be sent beyond what the client says it has played. */
    readonly aheadMs: 1500;
    readonly heartbeatSeconds: 15;
    /** Text events that a resumed connection can still get. */
    readonly replayedEvents: 256;
};
/** Codes of `error` events. The fatal ones come right before the socket is closed. */
export declare const runtimeErrorCodes: readonly ['INVALID_MESSAGE', 'SPEECH_INPUT_OFF', 'MIND_FAILED', 'SPEECH_FAILED', 'HEARING_FAILED', 'PROTOCOL', 'TOO_FAST', 'TOO_BIG', 'TOKEN_INVALID', 'ORIGIN_DIFFERS', 'TOKEN_USED', 'SESSION_ENDED', 'TOO_MANY_SESSIONS', 'FULL', 'DRAINING', 'FAULT'];
export type RuntimeErrorCode = (typeof runtimeErrorCodes)[number];
export declare const helloSchema: Type.TObject<{
    type: Type.TLiteral<"hello">;
} & {
    protocol: Type.TLiteral<1>;
    token: Type.TOptional<Type.TString>;
    resume: Type.TOptional<Type.TObject<{
        ticket: Type.TString;
        lastSeq: Type.TInteger;
    }>>;
    client: Type.TObject<{
        name: Type.TString;
        version: Type.TString;
    }>;
    /** Locales that the page itself can speak and understand. */
    speech: Type.TOptional<Type.TObject<{
        synthesis: Type.TArray<Type.TString>;
        recognition: Type.TArray<Type.TString>;
    }>>;
}>;
/** What a client may send, by `type`. Fields that are not named here are ignored. */
export declare const clientMessages: {
    readonly hello: Type.TObject<{
        type: Type.TLiteral<"hello">;
    } & {
        protocol: Type.TLiteral<1>;
        token: Type.TOptional<Type.TString>;
        resume: Type.TOptional<Type.TObject<{
            ticket: Type.TString;
            lastSeq: Type.TInteger;
        }>>;
        client: Type.TObject<{
            name: Type.TString;
            version: Type.TString;
        }>;
        /** Locales that the page itself can speak and understand. */
        speech: Type.TOptional<Type.TObject<{
            synthesis: Type.TArray<Type.TString>;
            recognition: Type.TArray<Type.TString>;
        }>>;
    }>;
    readonly text: Type.TObject<{
        type: Type.TLiteral<"text">;
    } & {
        id: Type.TString;
        text: Type.TString;
        locale: Type.TOptional<Type.TString>;
    }>;
    readonly transcript: Type.TObject<{
        type: Type.TLiteral<"transcript">;
    } & {
        id: Type.TString;
        text: Type.TString;
        status: Type.TEnum<["interim", "final"]>;
        locale: Type.TOptional<Type.TString>;
    }>;
    readonly 'audio.start': Type.TObject<{
        type: Type.TLiteral<"audio.start">;
    }>;
    readonly 'audio.end': Type.TObject<{
        type: Type.TLiteral<"audio.end">;
    }>;
    readonly interrupt: Type.TObject<{
        type: Type.TLiteral<"interrupt">;
    }>;
    readonly played: Type.TObject<{
        type: Type.TLiteral<"played">;
    } & {
        utterance: Type.TInteger;
        ms: Type.TNumber;
        done: Type.TOptional<Type.TBoolean>;
    }>;
    readonly ping: Type.TObject<{
        type: Type.TLiteral<"ping">;
    } & {
        t: Type.TNumber;
    }>;
    readonly bye: Type.TObject<{
        type: Type.TLiteral<"bye">;
    }>;
};
export type Hello = Static<typeof helloSchema>;
export type ClientMessage = {
    [K in keyof typeof clientMessages]: Static<(typeof clientMessages)[K]>;
}[keyof typeof clientMessages];
/** What a runtime sends, by `type`. Clients ignore types and fields that they do not know. */
export declare const runtimeEvents: {
    readonly ready: Type.TObject<{
        type: Type.TLiteral<"ready">;
        seq: Type.TInteger;
    } & {
        protocol: Type.TLiteral<1>;
        sessionId: Type.TString;
        resumeTicket: Type.TString;
        resumed: Type.TBoolean;
        audio: Type.TObject<{
            input: Type.TObject<{
                format: Type.TLiteral<"pcm16">;
                sampleRate: Type.TInteger;
            }>;
            output: Type.TObject<{
                format: Type.TLiteral<"pcm16">;
                sampleRate: Type.TInteger;
            }>;
        }>;
        engines: Type.TObject<{
            mind: Type.TObject<{
                kind: Type.TEnum<["script", "model"]>;
                name: Type.TString;
            }>;
            speech: Type.TObject<{
                kind: Type.TEnum<["server", "client", "captions"]>;
                name: Type.TString;
            }>;
            hearing: Type.TObject<{
                kind: Type.TEnum<["server", "client", "none"]>;
                name: Type.TOptional<Type.TString>;
            }>;
        }>;
        characters: Type.TArray<Type.TObject<{
            characterId: Type.TString;
            locale: Type.TString;
            secondaryLocale: Type.TOptional<Type.TString>;
        }>>;
        limits: Type.TObject<{
            maxSeconds: Type.TInteger;
            idleSeconds: Type.TInteger;
            heartbeatSeconds: Type.TInteger;
        }>;
    }>;
    readonly mode: Type.TObject<{
        type: Type.TLiteral<"mode">;
        seq: Type.TInteger;
    } & {
        mode: Type.TEnum<["listening", "thinking", "speaking"]>;
        characterId: Type.TOptional<Type.TString>;
    }>;
    readonly message: Type.TObject<{
        type: Type.TLiteral<"message">;
        seq: Type.TInteger;
    } & {
        id: Type.TString;
        role: Type.TEnum<["user", "character"]>;
        characterId: Type.TOptional<Type.TString>;
        status: Type.TEnum<["partial", "final"]>;
        text: Type.TString;
        spans: Type.TOptional<Type.TArray<Type.TObject<{
            locale: Type.TString;
            text: Type.TString;
        }>>>;
        interrupted: Type.TOptional<Type.TLiteral<true>>;
        heard: Type.TOptional<Type.TString>;
    }>;
    readonly utterance: Type.TObject<{
        type: Type.TLiteral<"utterance">;
        seq: Type.TInteger;
    } & {
        utterance: Type.TInteger;
        messageId: Type.TString;
        characterId: Type.TString;
        locale: Type.TString;
        text: Type.TString;
        speech: Type.TEnum<["server", "client", "captions"]>;
    }>;
    readonly cues: Type.TObject<{
        type: Type.TLiteral<"cues">;
        seq: Type.TInteger;
    } & {
        utterance: Type.TInteger;
        source: Type.TEnum<["engine", "words", "text"]>;
        cues: Type.TArray<Type.TTuple<[Type.TNumber, Type.TEnum<["sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "I", "O", "U"]>]>>;
        words: Type.TOptional<Type.TArray<Type.TTuple<[Type.TNumber, Type.TInteger, Type.TInteger]>>>;
    }>;
    readonly 'utterance.end': Type.TObject<{
        type: Type.TLiteral<"utterance.end">;
        seq: Type.TInteger;
    } & {
        utterance: Type.TInteger;
        durationMs: Type.TNumber;
        reason: Type.TEnum<["done", "interrupted"]>;
    }>;
    readonly interrupted: Type.TObject<{
        type: Type.TLiteral<"interrupted">;
        seq: Type.TInteger;
    } & {
        utterance: Type.TInteger;
        atMs: Type.TNumber;
    }>;
    readonly suggestions: Type.TObject<{
        type: Type.TLiteral<"suggestions">;
        seq: Type.TInteger;
    } & {
        items: Type.TArray<Type.TObject<{
            text: Type.TString;
            locale: Type.TString;
        }>>;
    }>;
    readonly metrics: Type.TObject<{
        type: Type.TLiteral<"metrics">;
        seq: Type.TInteger;
    } & {
        turn: Type.TInteger;
        hearingMs: Type.TOptional<Type.TNumber>;
        mindMs: Type.TNumber;
        speechMs: Type.TNumber;
        totalMs: Type.TNumber;
    }>;
    readonly notice: Type.TObject<{
        type: Type.TLiteral<"notice">;
        seq: Type.TInteger;
    } & {
        code: Type.TEnum<["ENDING_SOON", "RESTARTING"]>;
        secondsLeft: Type.TInteger;
    }>;
    readonly pong: Type.TObject<{
        type: Type.TLiteral<"pong">;
        seq: Type.TInteger;
    } & {
        t: Type.TNumber;
    }>;
    readonly error: Type.TObject<{
        type: Type.TLiteral<"error">;
        seq: Type.TInteger;
    } & {
        code: Type.TEnum<["INVALID_MESSAGE", "SPEECH_INPUT_OFF", "MIND_FAILED", "SPEECH_FAILED", "HEARING_FAILED", "PROTOCOL", "TOO_FAST", "TOO_BIG", "TOKEN_INVALID", "ORIGIN_DIFFERS", "TOKEN_USED", "SESSION_ENDED", "TOO_MANY_SESSIONS", "FULL", "DRAINING", "FAULT"]>;
        message: Type.TString;
        fatal: Type.TBoolean;
        /** The id of the message, or the type, that it is about. */
        re: Type.TOptional<Type.TString>;
    }>;
    readonly ended: Type.TObject<{
        type: Type.TLiteral<"ended">;
        seq: Type.TInteger;
    } & {
        reason: Type.TEnum<["api_request", "client_ended", "client_left", "client_lost", "idle_timeout", "max_duration", "runtime_error", "runtime_lost", "server_shutdown"]>;
        seconds: Type.TInteger;
    }>;
};
export type RuntimeEvent = {
    [K in keyof typeof runtimeEvents]: Static<(typeof runtimeEvents)[K]>;
}[keyof typeof runtimeEvents];
type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never;
/** An event before it gets its place in the order. */
export type UnnumberedEvent = WithoutSeq<RuntimeEvent>;
export type Engines = Extract<RuntimeEvent, {
    type: 'ready';
}>['engines'];
export type Mode = Extract<RuntimeEvent, {
    type: 'mode';
}>['mode'];
export type Cue = [ms: number, viseme: Viseme];
/** When a word begins, and where it stands in the text of its utterance. */
export type WordTime = [ms: number, start: number, end: number];
export type CueSource = Extract<RuntimeEvent, {
    type: 'cues';
}>['source'];
export {};
