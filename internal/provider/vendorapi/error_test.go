package vendorapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/provider/vendorapi"
	"earshot/internal/upstream"
)

func TestRefusalBody(t *testing.T) {
	t.Parallel()
	for body, test := range map[string]struct {
		status int
		reason earshot.Reason
		final  bool
		says   string
	}{
		`{"error":{"message":"Incorrect API key provided: sk-abc123.","type":"invalid_request_error","code":"invalid_api_key"}}`: {
			401, earshot.ReasonBlocked, true, "status 401 invalid_request_error invalid_api_key: Incorrect API key provided: …",
		},
		`{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}`: {
			429, earshot.ReasonBlocked, true, "status 429 insufficient_quota: You exceeded your current quota.",
		},
		`{"error":{"message":"Rate limit reached.","type":"tokens","code":"rate_limit_exceeded"}}`: {
			429, earshot.ReasonBlocked, false, "status 429 tokens rate_limit_exceeded: Rate limit reached.",
		},
		`{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***yz."}`: {
			400, earshot.ReasonBlocked, true, "status 400 Client specified an invalid argument: Incorrect API key provided: …",
		},
		`{"error":{"code":"content_filter","message":"Filtered.","param":"prompt","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`: {
			400, earshot.ReasonBlocked, true, "status 400 content_filter ResponsibleAIPolicyViolation: Filtered.",
		},
		`{"error":{"code":"500","message":"Broken."}}`: {500, earshot.ReasonUnavailable, false, "status 500 500: Broken."},
		"<html><head><title>502</title></head><body><script>x()</script><h1>Bad gateway</h1> <!-- a --> cloudflare</body></html>": {
			502, earshot.ReasonUnavailable, false, "status 502: Bad gateway cloudflare",
		},
		"upstream connect error for key sk-abc123\n":                              {503, earshot.ReasonUnavailable, false, "status 503: upstream connect error for key …"},
		`{"error":{"message":"API key not valid. Please pass a valid API key."}}`: {400, earshot.ReasonBlocked, true, "status 400: API key not valid. Please pass a valid API key."},
		`"Unauthorized"`:                    {401, earshot.ReasonBlocked, true, `status 401: "Unauthorized"`},
		`{"detail":[{"msg":"no field"}]}`:   {422, earshot.ReasonUnavailable, true, `status 422: {"detail":[{"msg":"no field"}]}`},
		strings.Repeat("long words ", 1000): {500, earshot.ReasonUnavailable, false, "status 500: " + strings.Repeat("long words ", 19)[:200]},
		`{"detail":"no such model"}`:        {404, earshot.ReasonUnavailable, true, "status 404: no such model"},
		"":                                  {403, earshot.ReasonBlocked, true, "status 403"},
	} {
		failure := vendorapi.RefusalBody(test.status, http.Header{"Retry-After": {"2"}}, []byte(body))
		if failure.Reason != test.reason || failure.Final != test.final || failure.Err.Error() != test.says {
			t.Errorf("%s\nis %s, final %t: %v", body, failure.Reason, failure.Final, failure.Err)
		}
		if !failure.Final && failure.RetryAfter != 2*time.Second {
			t.Errorf("%s: retry after %s", body, failure.RetryAfter)
		}
	}
}

// The settings that errors are about, in the words of vendors.
func TestRefusalNamesTheSetting(t *testing.T) {
	t.Parallel()
	for body, test := range map[string]struct {
		status  int
		setting upstream.Setting
	}{
		`{"error":{"message":"The model ` + "`gpt-5-mini`" + ` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`:            {404, upstream.SettingModel},
		`{"error":{"message":"The model ` + "`gpt-4`" + ` has been deprecated, learn more here: https://x.test","type":"invalid_request_error","code":"model_not_found"}}`:                         {404, upstream.SettingModel},
		`{"error":{"message":"Project p does not have access to model x","type":"invalid_request_error","code":"model_not_found"}}`:                                                                {403, upstream.SettingModel},
		`{"error":{"code":404,"message":"This model models/gemini-2.5-flash is no longer available to new users. Please update your code.","status":"NOT_FOUND"}}`:                                 {404, upstream.SettingModel},
		`{"error":{"code":404,"message":"models/gemini-1 is not found for API version v1beta, or is not supported for generateContent.","status":"NOT_FOUND"}}`:                                    {404, upstream.SettingModel},
		`{"error":{"message":"validation failed: model \"sonar-9\" is not supported","type":"invalid_request","code":400}}`:                                                                        {400, upstream.SettingModel},
		`{"error":{"message":"Sonar is now the Agent API. Use /v1/responses instead of /v1/sonar.","type":"chat_completions_not_available","code":403}}`:                                           {403, ""},
		`{"error":{"message":"Invalid model 'sonar-9'. Permitted models can be found in the documentation","type":"invalid_model","code":400}}`:                                                    {400, upstream.SettingModel},
		`{"code":"Some requested entity was not found","error":"The model grok-1 does not exist or your team x does not have access to it."}`:                                                      {404, upstream.SettingModel},
		`{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","param":"temperature"}}`:                                                                     {400, ""},
		`{"error":{"message":"The model is overloaded.","code":503,"status":"UNAVAILABLE"}}`:                                                                                                       {503, ""},
		`{"error":{"message":"Rate limit reached for model x: not available","code":"rate_limit_exceeded"}}`:                                                                                       {429, ""},
		`{"error":{"message":"You exceeded your current quota.","code":"insufficient_quota"}}`:                                                                                                     {401, ""},
		`{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`:                                                                                                              {401, upstream.SettingKey},
		`{"error":{"message":"API key not valid.","code":400,"status":"INVALID_ARGUMENT"}}`:                                                                                                        {400, upstream.SettingKey},
		`{"error":{"message":"Your organization must be verified to stream this model. Please go to: https://x.test","type":"invalid_request_error","param":"stream","code":"unsupported_value"}}`: {400, upstream.SettingStream},
		`{"error":{"message":"Streaming is not supported for this model."}}`:                                                                                                                       {400, upstream.SettingStream},
		`{"error":{"message":"This model does not support streaming."}}`:                                                                                                                           {400, upstream.SettingStream},
		`{"error":{"message":"The stream broke"}}`:                            {400, ""},
		`{"error":{"message":"streaming is not supported","param":"stream"}}`: {500, ""},
	} {
		failure := vendorapi.RefusalBody(test.status, nil, []byte(body))
		if failure.Setting != test.setting {
			t.Errorf("%s\nis about %q, want %q", body, failure.Setting, test.setting)
		}
		if failure.Setting == upstream.SettingModel && !failure.Final {
			t.Errorf("%s\nis asked again", body)
		}
	}
}
