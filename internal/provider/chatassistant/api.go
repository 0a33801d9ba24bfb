package chatassistant

import (
	"earshot/internal/provider/answer"
)

var officialAPI = &answer.API{}
