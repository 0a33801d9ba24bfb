{{- define "earshot.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Leaves room for a role: names have up to 63 characters. */}}
{{- define "earshot.fullname" -}}
{{- $name := include "earshot.name" . }}
{{- $whole := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- default $whole .Values.fullnameOverride | trunc 55 | trimSuffix "-" }}
{{- end }}

{{- define "earshot.selector" -}}
app.kubernetes.io/name: {{ include "earshot.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "earshot.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "earshot.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "earshot.serviceAccount" -}}
{{- default (ternary (include "earshot.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end }}

{{- define "earshot.baseURL" -}}
{{- $host := ternary .Values.ingress.host "" .Values.ingress.enabled }}
{{- $scheme := ternary "https" "http" (ne .Values.ingress.tlsSecret "") }}
{{- default (ternary (printf "%s://%s" $scheme $host) "" (ne $host "")) .Values.baseURL }}
{{- end }}

{{/* The name of a role's Deployment. */}}
{{- define "earshot.node" -}}
{{- ternary (include "earshot.fullname" .root) (printf "%s-%s" (include "earshot.fullname" .root) .role) (eq .role "all") }}
{{- end }}

{{/* The next three are "true" or "". */}}
{{- define "earshot.postgres" -}}
{{- if or .Values.database.url .Values.database.existingSecret }}true{{ end }}
{{- end }}

{{- define "earshot.needsVolume" -}}
{{- if not (and (include "earshot.postgres" .) .Values.captures) }}true{{ end }}
{{- end }}

{{- define "earshot.severalNodes" -}}
{{- if gt (len .Values.roles) 1 }}true{{ end }}
{{- range .Values.roles }}
{{- $node := index $.Values . }}
{{- if or $node.autoscaling.enabled (gt (int $node.replicas) 1) }}true{{ end }}
{{- end }}
{{- end }}

{{/* Values that cannot work together. */}}
{{- define "earshot.check" -}}
{{- if and .Values.database.url .Values.database.existingSecret }}
{{- fail "set database.url or database.existingSecret, not both" }}
{{- end }}
{{- if and (include "earshot.severalNodes" .) (not (include "earshot.postgres" .)) }}
{{- fail "SQLite serves one node: set roles to [all], all.replicas to 1 and all.autoscaling.enabled to false, or set database.url or database.existingSecret for PostgreSQL" }}
{{- end }}
{{- if and (include "earshot.severalNodes" .) (include "earshot.needsVolume" .) (ne .Values.volume.accessMode "ReadWriteMany") }}
{{- fail "several nodes must share the captures: set captures to a bucket (s3://BUCKET/PREFIX), or volume.accessMode to ReadWriteMany" }}
{{- end }}
{{- range $setting, $value := dict "listen" "service.port" "data" "volume" "database" "database" "captures" "captures" "role" "roles" "base-url" "baseURL" "trusted-proxies" "trustedProxies" }}
{{- if hasKey $.Values.config $setting }}
{{- fail (printf "set %s instead of config.%s" $value $setting) }}
{{- end }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}
{{- fail "ingress.enabled needs ingress.host" }}
{{- end }}
{{- end }}
